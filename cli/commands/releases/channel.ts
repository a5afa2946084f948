// `outrigger channel`: which release each channel serves, how it came there, and channels that are to go.
import { resolve } from "node:path";
import { defined, ownError, usageError } from "@outrigger/base";
import { type ChannelRecord, editsChannel, listReleases, readServed } from "@outrigger/publisher";
import type { Command } from "commander";
import { type Deployment, openDeployment } from "../../connect/deployment.ts";
import { deploymentOptions } from "../../options/aws-options.ts";
import { parseChannelName, parseDuration, wholeNumber } from "../../options/names.ts";
import { choiceOf, type OptionsOf, optionTable, takes } from "../../options/option.ts";
import { readChannel } from "../../options/reference.ts";
import { resultOptionsWith, sharedOptions } from "../../options/shared-options.ts";
import { parseEffects } from "../../releases/action-request.ts";
import { askAndPrint, askOptions, openAndAsk } from "../../releases/ask-and-print.ts";
import { printMovesSince, servedBy } from "../../releases/moves-since.ts";
import { openNamed } from "../../releases/open-named-deployment.ts";
import { readChannels } from "../../releases/read-records.ts";
import { alarmNames, rolloutPlan } from "../../releases/rollout-plan.ts";
import { heldEdit, sourceDifference } from "../../releases/source-difference.ts";
import { unsettledOf } from "../../releases/unsettled-release.ts";
import { ageOf } from "../../terminal/age-of.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult, table, warn } from "../../terminal/print.ts";
import { printable } from "../../terminal/printable.ts";
import { describeFree } from "../../tree/tree-size.ts";

const NOTES = `
A channel that needs approval takes promotions that another person approves (outrigger promote FROM TO --approve), and no edits.
Going back to what it has served needs none.
Edits go to one channel; the source tree cannot change which. A channel holds edits that would stop or expose every pod: a sidecar,
container or volume that is gone, wider privileges, other traffic captured, another control plane, a misspelt registry, most of the tree
deleted. Such an edit waits until a person runs the outrigger publish --accept that is shown. Who asks is who the credentials say, and the function does not check it: the rule
keeps a mistake from every pod, not a person who may call the function.

A channel that follows another one is a ring: once a minute, the publish function looks whether the other one has served a release to all
of its workloads for the time of --after, whether that was injected into --pods pods, and whether no more calls failed or were denied than
with the release that it replaces. Then the ring is promoted to it, at once or by --share, --bake and --abort-on as in outrigger promote.
A release that waits for a person, a pin, a share or an alarm of --abort-on holds the ring, and all that follow it. outrigger rollout
status --rings shows what each waits for. A release that the ring has taken back is not taken again by itself.

Examples:
  outrigger channel
  outrigger channel stable
  outrigger channel --since 2h
  outrigger channel --since 1d --deployments deployments.yaml
  outrigger channel approval stable required
  outrigger channel edits canary
  outrigger channel holds canary none
  outrigger channel holds stable sidecar-gone,container-gone,image
  outrigger channel follow ring-2 ring-1 --after 1d --abort-on errors
  outrigger channel follow ring-3 ring-2 --after 1d --share 5,25,100 --bake 1h
  outrigger channel follow ring-2 none
  outrigger channel remove canary`;

const FOLLOW_OPTIONS = optionTable({
  ...askOptions,
  after: {
    argument: "<time>",
    about: "how long all workloads of the other channel must have been served a release: 6h, 1d",
    parse: parseDuration,
    default: 86_400,
    defaultText: "1d",
  },
  pods: {
    argument: "<number>",
    about: "how many pods a release must have been injected into",
    parse: wholeNumber(0, 1_000_000, "It is a whole number from 0 to 1000000."),
    default: 10,
  },
  share: sharedOptions.share,
  bake: { ...sharedOptions.bake, about: "how long each share is served before the next one begins: 30m, 1h30m" },
  abortOn: { ...sharedOptions.abortOn, about: "move on only while this CloudWatch alarm is quiet; repeatable" },
});

const CHANNEL_OPTIONS = optionTable({
  ...deploymentOptions,
  ...resultOptionsWith("wide", "name"),
  since: {
    argument: "<time>",
    about: "the moves of all channels, or of one, in the last: 2h, 1d; a week at most",
    parse: parseDuration,
  },
  all: { about: "with --since: of all channels, as where none is named" },
  deployments: {
    argument: "<file>",
    about: "with --since: in all deployments that this file names (outrigger publish --to)",
  },
});

export function addChannelCommand(program: Command, io: Io): void {
  const channel = takes(program.command("channel"), CHANNEL_OPTIONS)
    .alias("channels")
    .description("list channels, or show the history of one")
    .argument("[channel]", "the channel whose history is shown", parseChannelName)
    .addHelpText("afterAll", NOTES)
    .action((name, options) => {
      if (options.all === true && (name !== undefined || options.since === undefined))
        throw usageError("Use --all with --since, and without a channel");
      if (options.since !== undefined) return listMoves(name, options.since, options, io);
      if (options.deployments !== undefined)
        throw usageError("Cannot use --deployments without --since: it is the moves of many that are listed");
      return name === undefined ? listChannels(options, io) : showHistory(name, options, io);
    });
  const about = (name: string, description: string) =>
    takes(channel.command(name), askOptions)
      .description(description)
      .argument("<channel>", "the channel", parseChannelName);
  about("approval", "say whether promotions to a channel need another person's approval")
    .addArgument(choiceOf("<setting>", "required, or none", ["required", "none"]))
    .action((name, setting, options) =>
      openAndAsk({ action: "set-channel", channel: name, approval: setting === "required" }, options, io),
    );
  about("edits", "send edits of the source tree to a channel, which is made if it does not exist").action(
    (name, options) => openAndAsk({ action: "set-channel", channel: name, edits: true }, options, io),
  );
  about("holds", "say what edits may not do to a channel's pods until a person accepts it")
    .argument("<classes>", "classes of change, separated by commas; or default, or none")
    .action((name, classes, options) => {
      const holds = classes === "default" ? null : classes === "none" ? [] : parseEffects(classes);
      return openAndAsk({ action: "set-channel", channel: name, holds }, options, io);
    });
  takes(channel.command("follow"), FOLLOW_OPTIONS)
    .description("let a channel take the releases of another one by itself, once they are well there")
    .argument("<channel>", "the channel", parseChannelName)
    .argument("<leader>", "the channel that it follows, or none", parseChannelName)
    .action((name, leader, options) => follow(name, leader, options, io));
  about("remove", "remove a channel that no cluster is served from").action((name, options) =>
    openAndAsk({ action: "remove-channel", channel: name }, options, io),
  );
}

async function follow(
  channel: string,
  leader: string,
  options: OptionsOf<typeof FOLLOW_OPTIONS>,
  io: Io,
): Promise<void> {
  const { after, pods, abortOn = [], share, bake } = options;
  const deployment = await openDeployment(options, io);
  const { stage } = deployment.target;
  const plan = defined({ share, bake, ...(share !== undefined && { abortOn }) });
  const shares = rolloutPlan(plan, stage, `Cannot let ${channel} follow ${leader}`);
  const following = { channel: leader, after, pods, alarms: alarmNames(abortOn, stage), ...shares };
  const request = { action: "set-channel", channel, follow: leader === "none" ? null : following } as const;
  await askAndPrint(request, options, deployment, io);
}

type ChannelOptions = OptionsOf<typeof CHANNEL_OPTIONS>;

async function listMoves(name: string | undefined, seconds: number, options: ChannelOptions, io: Io): Promise<void> {
  const asked = { since: Date.now() - seconds * 1000, ...defined({ channel: name, json: options.json }) };
  if (options.deployments === undefined) {
    const deployment = await openDeployment(options, io);
    // A name that is misspelt has had no move.
    if (name !== undefined) await readChannel(deployment, name);
    return printMovesSince([{ open: async () => deployment }], asked, io);
  }
  const { readDeployments, nameOfDeployment } = await import("../../releases/deployments-file.ts");
  const one = (["deployment", "prefix", "publisher", "region", "profile"] as const).find((key) => options[key]);
  if (one !== undefined) throw usageError(`Cannot use --${one} with --deployments: the file names them`);
  const named = await readDeployments(resolve(io.cwd, options.deployments));
  const places = named.map((each) => ({ name: nameOfDeployment(each), open: () => openNamed(each, io) }));
  return printMovesSince(places, asked, io);
}

async function listChannels(options: ChannelOptions, io: Io): Promise<void> {
  const deployment = await openDeployment(options, io);
  const channels = await readChannels(deployment, io);
  const rows = Object.entries(channels).map(([name, record]) => {
    const { at, by = "", why = "" } = record.history[0] ?? {};
    const since = at === undefined ? "" : ageOf(at, Date.now());
    return [name, servedBy(record), record.pinned ? "yes" : "no", since, by, why];
  });
  const none = `There are no channels below ${deployment.target.layout.channels}: publish to make one\n`;
  const text = table(["CHANNEL", "RELEASE", "PINNED", "SINCE", "BY", "WHY"], rows);
  const difference = rows.length === 0 ? undefined : await sourceDifference(channels, deployment, io);
  if (difference !== undefined) io.stderr.write(printable(`${difference}\n`));
  if (rows.length > 0) await warnUnsettled(deployment, io);
  const edits = editsChannel({ channels, unreadable: { channels: [], clusters: [] } });
  const goes = edits === undefined ? "" : `\nEdits go to ${edits}\n`;
  const said = rows.length === 0 ? none : `${text}${goes}${await sizeOf(deployment)}`;
  printResult(io, options.json, channels, said, Object.keys(channels));
}

/** The records say what was declared, which need not be served yet. */
async function warnUnsettled(deployment: Deployment, io: Io): Promise<void> {
  const unsettled = await unsettledOf(deployment);
  if (unsettled !== undefined) warn(unsettled, io);
}

/** Says how much of an object is used: nothing where the person may not read what is served. */
async function sizeOf({ store, target }: Deployment): Promise<string> {
  try {
    const { text } = await readServed({ store, layout: target.layout });
    return text === undefined ? "" : `\nUsed: ${text.length} characters, ${describeFree(text.length)}\n`;
  } catch (error) {
    ownError(error);
    return "";
  }
}

async function showHistory(name: string, options: ChannelOptions, io: Io): Promise<void> {
  const deployment = await openDeployment(options, io);
  const record = await readChannel(deployment, name);
  await warnUnsettled(deployment, io);
  const head = `${name} serves release ${servedBy(record)}${record.pinned ? ", pinned: edits do not move it" : ""}\n${settingsOf(name, record)}`;
  const rows = record.history.map((move) => [
    move.at,
    move.action,
    servedBy(move),
    move.by,
    move.why,
    move.edits?.join(", ") ?? "",
    move.effects?.join(", ") ?? "",
  ]);
  const text = table(["WHEN", "WHAT", "RELEASE", "BY", "WHY", "EDITS", "PODS"], rows);
  printResult(io, options.json, record, `${head}\n${text}`, [name]);
}

function settingsOf(name: string, record: ChannelRecord): string {
  const { holds } = record;
  const what = holds?.length === 0 ? "no edits" : `edits that come to ${holds?.join(", ")}`;
  const behind = followsText(record);
  const held = heldEdit(name, record);
  const waiting = held === undefined ? approvalOf(name, record) : `${held[0]?.toUpperCase()}${held.slice(1)}\n`;
  return `${holds === undefined ? "" : `It holds ${what}\n`}${behind}${waiting}`;
}

function followsText({ follows }: ChannelRecord): string {
  return follows === undefined ? "" : `It follows ${follows.channel} (outrigger rollout status --rings)\n`;
}

function approvalOf(name: string, { approval, proposal }: ChannelRecord): string {
  if (approval !== true) return "";
  if (proposal === undefined) return "Promotions to it need another person's approval\n";
  const { from, release, share, by, at, why } = proposal;
  const what = share === undefined ? release : `${release} to ${share} %`;
  const reason = why === "" ? "" : ` (${why})`;
  return `${by} asked for ${what} of ${from} at ${at}${reason}: another person approves with outrigger promote ${from} ${name} --approve\n`;
}

// `outrigger releases`: the releases that are kept, who made them, when and why, and which channels serve them.
const RELEASES_NOTES = `
A release is kept as long as a channel serves it or has it in its history.

Examples:
  outrigger releases
  outrigger diff 1f2e3d4c5b6a stable`;

const RELEASES_OPTIONS = optionTable({ ...deploymentOptions, ...resultOptionsWith("wide", "name") });

export function addReleasesCommand(program: Command, io: Io): void {
  takes(program.command("releases"), RELEASES_OPTIONS)
    .description("list the releases that are kept")
    .addHelpText("after", RELEASES_NOTES)
    .action(async (options) => {
      const deployment = await openDeployment(options, io);
      const channels = await readChannels(deployment, io);
      const serving = Object.entries(channels);
      const { store, target } = deployment;
      const stored = await listReleases({ store, layout: target.layout });
      const kept = stored.map(({ digest: release, origin }) => {
        const names = serving.flatMap(([name, record]) => (record.release === release ? [name] : []));
        return { release, channels: names, ...origin };
      });
      const newest = kept.sort((a, b) => ((a.at ?? "") < (b.at ?? "") ? 1 : -1));
      const rows = newest.map(({ release, channels, at, by = "", why = "" }) => {
        return [release, channels.join(","), at === undefined ? "" : ageOf(at, Date.now()), by, why];
      });
      const none = `There are no releases in the bucket below ${target.layout.releases}: publish to make one\n`;
      const text = rows.length === 0 ? none : table(["RELEASE", "CHANNELS", "AGE", "BY", "WHY"], rows);
      const names = newest.map(({ release }) => release);
      printResult(io, options.json, newest, text, names);
    });
}
