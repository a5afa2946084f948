// The names that a word may be completed with: those of a deployment's records, and the examples of this tool. A shell waits for
// them at a key, so they come in bounded time or not at all, and whatever goes wrong is silent.
import { channelNamePattern, clusterNamePattern } from "@outrigger/base";
import { type ChannelRecord, readExamples, releasePattern } from "@outrigger/publisher";
import { Command } from "commander";
import { openDeployment } from "../connect/deployment.ts";
import { type AwsOptions, deploymentOptions, withoutAliases } from "../options/aws-options.ts";
import { takes } from "../options/option.ts";
import { readChannels, readClusters } from "../releases/read-records.ts";
import { ageOf } from "../terminal/age-of.ts";
import type { Io } from "../terminal/io.ts";
import { printable } from "../terminal/printable.ts";
import type { Described, NameKind } from "./completion-table.ts";

/** Milliseconds. AWS answers within one; what takes longer is not worth waiting for at a key. */
const PATIENCE = 2000;

const NAMES = [channelNamePattern, releasePattern, clusterNamePattern];

/**
 * The names of some kinds; none where they cannot be read in time. Reads records only: no function is called.
 *
 * @param words those on the line, of which the options of the deployment count
 */
export async function completeNames(
  kinds: readonly NameKind[],
  words: readonly string[],
  io: Io,
): Promise<readonly Described[]> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<readonly Described[]>((resolve) => {
    timer = setTimeout(() => resolve([]), PATIENCE);
  });
  const names = readNames(kinds, words, { ...io, stderr: { write: () => {} } }).catch(() => []);
  const found = await Promise.race([names, patience]);
  clearTimeout(timer);
  // A shell expands what it is given.
  const isName = ({ name }: Described) => NAMES.some((pattern) => pattern.test(name));
  const byName = new Map(found.filter(isName).map((one) => [one.name, one]));
  const onOneLine = (text: string) => printable(text).replaceAll(/\s+/g, " ").trim();
  return [...byName.values()].map(({ name, description }) => ({ name, description: onOneLine(description) }));
}

async function readNames(kinds: readonly NameKind[], words: readonly string[], io: Io): Promise<readonly Described[]> {
  const wants = (...some: readonly NameKind[]) => some.some((kind) => kinds.includes(kind));
  const known = wants("example") ? await readExamples(io.examples) : [];
  const examples = known.map(({ name, title }) => ({ name, description: title }));
  if (!wants("channel", "release", "tree", "cluster")) return examples;
  const deployment = await openDeployment(deploymentIn(words), io, { mayBeNew: true });
  const served = Object.entries(wants("channel", "release", "tree") ? await readChannels(deployment, io) : {});
  const clusters = wants("cluster") ? await readClusters(deployment, io) : {};
  return [
    ...examples,
    ...(wants("channel", "tree")
      ? served.map(([name, { release }]) => ({ name, description: `serves ${release}` }))
      : []),
    ...(wants("release", "tree") ? served.flatMap(releaseNames) : []),
    ...(wants("tree") ? TREES : []),
    ...Object.keys(clusters).map((name) => ({ name, description: "a registered cluster" })),
  ];
}

const TREES: readonly Described[] = [
  { name: "source", description: "the tree in Parameter Store" },
  { name: "shipped", description: "the templates that come with Outrigger" },
];

/** A release is kept as long as a channel serves it or has it in its history. */
function releaseNames([channel, { release, share, history }]: readonly [string, ChannelRecord]) {
  const past = history.map(({ release: name, at, why }) => {
    return { name, description: `${channel}, ${ageOf(at, Date.now())} ago${why === "" ? "" : `: ${why}`}` };
  });
  const shared = share === undefined ? [] : [{ name: share.release, description: `${channel}, a share` }];
  // The latest words on a release win: what serves it now comes last.
  return [...past.toReversed(), ...shared, { name: release, description: `${channel} now` }];
}

/** bash makes a word of the sign in `--stage=prod`. */
function deploymentIn(words: readonly string[]): AwsOptions {
  const command = new Command().allowUnknownOption().helpOption(false).exitOverride();
  takes(command, deploymentOptions);
  command
    .configureOutput({ writeErr: () => {} })
    .parseOptions([...withoutAliases(words.filter((word) => word !== "="))]);
  return command.opts();
}
