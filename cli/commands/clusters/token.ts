// `outrigger token`: replaces the token in a cluster's webhooks without losing a call. For those who apply the webhooks
// themselves, adds and retires tokens without contacting the cluster.
import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { DEFAULT_REVISION, defined, usageError } from "@outrigger/base";
import { digestOfToken, newToken, rotateToken } from "@outrigger/cluster";
import { type Command, Option } from "commander";
import { causeOf, openDeployment } from "../../connect/deployment.ts";
import { type ClusterOptions, withClusterOptions } from "../../options/cluster-options.ts";
import { parseChannelName, wholeNumber } from "../../options/names.ts";
import { readClusterRecord } from "../../releases/read-records.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";
import { addRetireCommand } from "./retire-token.ts";

interface RotateOptions extends ClusterOptions {
  /** Minutes. */
  readonly wait: number;
  readonly now?: true;
  readonly selfTest: boolean;
}

interface AddOptions extends ClusterOptions {
  readonly tokenFile: string;
  readonly channel: string;
  readonly network?: string;
}

const NOTES = `
rotate registers a second token, tests it and writes it to the webhooks. When calls arrive with the new token and none with the
old one, the old one is retired. If the command is interrupted, run it again to continue.

For a token that was leaked, use --now: its holder may call with it forever. The command first says what that breaks, gives
the webhooks a new token, and then retires every earlier one without waiting.

For retire, outrigger clusters -o json prints the first characters of each token's digest (SHA-256), in the order of the slots. A
token with which calls came within the last hour is retired only with --now; either way, the command first says what that breaks.

Examples:
  outrigger token rotate --cluster shop
  outrigger token rotate --cluster shop --wait 30
  outrigger token rotate --cluster shop --now -m "in a support ticket"
  outrigger token retire --cluster shop --token-file shop.token
  outrigger token retire 1 --cluster shop
  outrigger token retire 3fa4c1d2 --cluster shop --now -m "leaked"`;

export function addTokenCommand(program: Command, io: Io): void {
  const token = program
    .command("token")
    .description("the tokens that identify clusters")
    .addHelpText("afterAll", NOTES);
  withClusterOptions(token.command("rotate"))
    .description("replace a cluster's token without losing a call")
    .option(
      "--wait <minutes>",
      "how long to wait for calls with the new token; 0 leaves the old one live until the next run",
      wholeNumber(0, 240, "Wait 0 to 240 whole minutes."),
      15,
    )
    .addOption(
      new Option("--now", "retire every earlier token at once, although calls still come with it").conflicts("wait"),
    )
    .option("--no-self-test", "do not call the webhook from this machine")
    .option("-m, --message <text>", "the reason, recorded with the change")
    .action((options: RotateOptions) => runRotate(options, io));
  withClusterOptions(token.command("add"))
    .description("add a token, for those who apply the webhooks themselves")
    .requiredOption("--token-file <file>", "the file to write it to; it must not exist")
    .option("--channel <channel>", "the channel of a cluster that is not registered yet", parseChannelName, "stable")
    .option("--network <network>", "Istio's network of a cluster that is not registered yet")
    .option("-m, --message <text>", "the reason, recorded with the change")
    .action((options: AddOptions) => runAdd(options, io));
  addRetireCommand(token, io);
}

async function runRotate(options: RotateOptions, io: Io): Promise<void> {
  const { connectCluster, registrationPorts, watchDeployment } = await import("../../connect/connect-cluster.ts");
  const deployment = await openDeployment(options, io);
  const watch = await watchDeployment(deployment, io.env);
  const { kube } = await connectCluster(deployment, options);
  const cluster = options.as ?? options.cluster;
  const rotation = await rotateToken(
    {
      cluster,
      deployment: deployment.target.stage,
      cause: await causeOf(deployment, options.message),
      withSelfTest: options.selfTest,
      isRevocation: options.now === true,
      patience: options.wait * 60_000,
      countCalls: watch.countCalls(cluster),
    },
    registrationPorts(deployment, kube, watch, io),
  );
  const text = {
    retired: `${cluster} uses a new token; the old one is retired`,
    "still-live": `${cluster} has a new token; the old one is still live: run this command again to retire it, or with --now to retire it although calls come with it`,
  };
  printResult(io, undefined, rotation, text[rotation]);
}

/** The file is written first: a registered token that was lost would be useless. */
async function runAdd(options: AddOptions, io: Io): Promise<void> {
  const { connectCluster } = await import("../../connect/connect-cluster.ts");
  const deployment = await openDeployment(options, io);
  const { description } = await connectCluster(deployment, options);
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
