// `outrigger token`: replaces the token in a cluster's webhooks without losing a call. For those who apply the webhooks
// themselves, adds and retires tokens without contacting the cluster.
import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { DEFAULT_REVISION, defined, OutriggerError, usageError } from "@outrigger/base";
import { digestOfToken, newToken, retirementEffect } from "@outrigger/cluster";
import type { ClusterRecord } from "@outrigger/serving";
import { type Command, InvalidArgumentError } from "commander";
import { causeOf, openDeployment } from "../../connect/deployment.ts";
import { clusterOptions, readText } from "../../options/cluster-options.ts";
import { wholeNumber } from "../../options/names.ts";
import { type OptionsOf, optional, optionTable, takes } from "../../options/option.ts";
import { SELECTION_NOTES, selectionOptions, selectsClusters } from "../../options/selection-options.ts";
import { resultOptions, sharedOptions } from "../../options/shared-options.ts";
import { readClusterRecord } from "../../releases/read-records.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";

const NOTES = `
rotate registers a second token, tests it and writes it to the webhooks. When calls arrive with the new token and none with the
old one, the old one is retired. If the command is interrupted, run it again to continue.

${SELECTION_NOTES} Rotate asks five clusters at a time, and goes on where one fails: the same
command again continues where it was.

For a token that was leaked, use --now: its holder may call with it forever. The command first says what that breaks, gives
the webhooks a new token, and then retires every earlier one without waiting.

For retire, outrigger clusters -o json prints the first characters of each token's digest (SHA-256), in the order of the slots. A
token with which calls came within the last hour is retired only with --now; either way, the command first says what that breaks.

Examples:
  outrigger token rotate --cluster shop
  outrigger token rotate --cluster shop --wait 30
  outrigger token rotate --cluster shop --now -m "in a support ticket"
  outrigger token rotate --all --role-name outrigger-registrar
  outrigger token retire --cluster shop --token-file shop.token
  outrigger token retire 1 --cluster shop
  outrigger token retire 3fa4c1d2 --cluster shop --now -m "leaked"`;

const ROTATE_OPTIONS = optionTable({
  ...clusterOptions,
  cluster: optional(clusterOptions.cluster),
  ...selectionOptions,
  maxConcurrency: { ...selectionOptions.maxConcurrency, default: 5 },
  ...resultOptions,
  wait: {
    argument: "<minutes>",
    about: "how long to wait for calls with the new token; 0 leaves the old one live until the next run",
    parse: wholeNumber(0, 240, "Wait 0 to 240 whole minutes."),
    default: 15,
  },
  now: { about: "retire every earlier token at once, even if calls still use it", conflicts: "wait" },
  selfTest: { ...sharedOptions.selfTest, about: "do not call the webhook from this machine" },
});

type RotateOptions = OptionsOf<typeof ROTATE_OPTIONS>;

const ADD_OPTIONS = optionTable({
  ...clusterOptions,
  tokenFile: { argument: "<file>", about: "the file to write it to; it must not exist", isRequired: true },
  channel: {
    ...sharedOptions.channel,
    about: "the channel of a cluster that is not registered yet",
    default: "stable",
  },
  network: { argument: "<network>", about: "Istio's network of a cluster that is not registered yet" },
});

type AddOptions = OptionsOf<typeof ADD_OPTIONS>;

export function addTokenCommand(program: Command, io: Io): void {
  const token = program
    .command("token")
    .description("the tokens that identify clusters")
    .addHelpText("afterAll", NOTES);
  takes(token.command("rotate"), ROTATE_OPTIONS)
    .description("replace a cluster's token without losing a call")
    .action((options) => runRotate(options, io));
  takes(token.command("add"), ADD_OPTIONS)
    .description("add a token, for those who apply the webhooks themselves")
    .action((options) => runAdd(options, io));
  addRetireCommand(token, io);
}

async function runRotate(options: RotateOptions, io: Io): Promise<void> {
  if (selectsClusters(options)) return (await import("../../fleet/rotate-fleet.ts")).rotateFleet(options, io);
  const { cluster } = options;
  if (cluster === undefined) throw usageError("Name the cluster with --cluster, or several with --clusters or --all");
  const { rotateOne, ROTATIONS } = await import("../../fleet/rotate-fleet.ts");
  const rotation = await rotateOne(await openDeployment(options, io), { ...options, cluster }, io);
  const name = options.as ?? cluster;
  printResult(io, options.json, { cluster: name, rotation }, `${name} ${ROTATIONS[rotation]}`);
}

/** The file is written first: a registered token that was lost would be useless. */
async function runAdd(options: AddOptions, io: Io): Promise<void> {
  const { connectCluster } = await import("../../connect/connect-cluster.ts");
  const deployment = await openDeployment(options, io);
  const { description } = await connectCluster(deployment, options, io);
  const cluster = options.as ?? options.cluster;
  const record = await readClusterRecord(deployment, cluster);
  const token = newToken(randomBytes);
  const file = resolve(io.cwd, options.tokenFile);
  await writeFile(file, `${token}\n`, { mode: 0o600, flag: "wx" }).catch((cause: unknown) => {
    const { tokenFile: path } = options;
    throw usageError(`Cannot write ${path}: the file exists, or you may not write to it`, { path, cause });
  });
  const cause = await causeOf(deployment, options.message);
  const sha256 = digestOfToken(token);
  const { arn, kubernetesVersion } = description;
  const tokens = [{ sha256, created: new Date().toISOString() }];
  const served = { revisions: { [DEFAULT_REVISION]: options.channel }, network: options.network };
  const first = defined({ ...served, arn, kubernetesVersion, tokens });
  try {
    if (record === undefined) await deployment.askPublisher({ action: "put-cluster", cause, cluster, record: first });
    else await deployment.askPublisher({ action: "add-token", cause, cluster, sha256 });
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
  const text = `Wrote a token of ${cluster} to ${options.tokenFile}: pass it to outrigger print webhook --token-file`;
  printResult(io, undefined, { cluster }, text);
}

// `outrigger token retire`: one token of a cluster, named by its file, its slot or its digest. Contacts no cluster.
const RETIRE_OPTIONS = optionTable({
  ...clusterOptions,
  tokenFile: { argument: "<file>", about: "the file that contains the token" },
  now: { about: "also if calls still come with it" },
});

type RetireOptions = OptionsOf<typeof RETIRE_OPTIONS>;

function addRetireCommand(token: Command, io: Io): void {
  takes(token.command("retire"), RETIRE_OPTIONS)
    .description("retire a token: calls with it are rejected from then on")
    .argument("[token]", "its slot (1: the older), or the first characters of its SHA-256, at least four", parseToken)
    .action((token, options) => runRetire(token, options, io));
}

async function runRetire(token: string | undefined, options: RetireOptions, io: Io): Promise<void> {
  const { tokenFile } = options;
  if ((tokenFile === undefined) === (token === undefined)) {
    throw usageError("Name the token with one of --token-file, its slot and its digest");
  }
  const { watchDeployment } = await import("../../connect/connect-cluster.ts");
  const deployment = await openDeployment(options, io);
  const cluster = options.as ?? options.cluster;
  const record = await readClusterRecord(deployment, cluster);
  if (record === undefined)
    throw new OutriggerError("cluster-unknown", `There is no cluster ${cluster}: see outrigger clusters`);
  const sha256 =
    tokenFile === undefined
      ? named(token ?? "", cluster, record)
      : digestOfToken((await readText(tokenFile, io)).trim());
  if (record.tokens.some((token) => token.sha256 === sha256)) {
    const countCalls = (await watchDeployment(deployment, io.env)).countCalls(cluster);
    const effect = await retirementEffect({ cluster, record, sha256, countCalls, now: Date.now() });
    if (effect.isUsed && options.now !== true) {
      const message = `Not retired. ${effect.sentence}. Give the webhooks another token first, or pass --now`;
      throw new OutriggerError("cluster-conflict", message, { path: cluster });
    }
    io.stderr.write(`${effect.sentence}\n`);
  }
  const cause = await causeOf(deployment, options.message);
  const { message } = await deployment.askPublisher({ action: "retire-token", cause, cluster, sha256 });
  printResult(io, undefined, { cluster }, message);
}

/** The digest of the live token that the slot or the first characters name. */
function named(name: string, cluster: string, { tokens }: ClusterRecord): string {
  const fitting = tokens.filter(({ sha256 }, index) =>
    SLOT.test(name) ? String(index + 1) === name : sha256.startsWith(name),
  );
  const [token] = fitting;
  if (token !== undefined && fitting.length === 1) return token.sha256;
  const live = tokens.map(({ sha256 }, index) => `${index + 1} is ${sha256.slice(0, 8)}…`).join(", ");
  const why = fitting.length === 0 ? "no live token fits" : "both live tokens fit";
  throw usageError(`Cannot retire a token of ${cluster}: ${why} (${live})`, { path: cluster });
}

const SLOT = /^[12]$/;

function parseToken(text: string): string {
  if (SLOT.test(text) || /^[0-9a-f]{4,64}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError("A slot is 1 or 2, and a digest 4 to 64 hexadecimal digits.");
}
