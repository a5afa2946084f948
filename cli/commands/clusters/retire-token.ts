// `outrigger token retire`: one token of a cluster, named by its file, its slot or its digest. Contacts no cluster.
import { OutriggerError } from "@outrigger/base";
import { digestOfToken, retirementEffect } from "@outrigger/cluster";
import type { ClusterRecord } from "@outrigger/serving";
import { type Command, InvalidArgumentError, Option } from "commander";
import { causeOf, openDeployment } from "../../connect/deployment.ts";
import { type ClusterOptions, readText, withClusterOptions } from "../../options/cluster-options.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";

interface RetireOptions extends ClusterOptions {
  readonly tokenFile?: string;
  readonly slot?: "1" | "2";
  readonly digest?: string;
  readonly now?: true;
  readonly message?: string;
}

export function addRetireCommand(token: Command, io: Io): void {
  withClusterOptions(token.command("retire"))
    .description("retire a token: calls with it are rejected from then on")
    .option("--token-file <file>", "the file that contains the token")
    .addOption(new Option("--slot <slot>", "the token's slot: the older of two is 1").choices(["1", "2"]))
    .option("--digest <digest>", "the first characters of the token's SHA-256, at least four", parseDigest)
    .option("--now", "also if calls still come with it")
    .option("-m, --message <text>", "the reason, recorded with the change")
    .action((options: RetireOptions) => runRetire(options, io));
}

async function runRetire(options: RetireOptions, io: Io): Promise<void> {
  const { tokenFile, slot, digest } = options;
  if ([tokenFile, slot, digest].filter((one) => one !== undefined).length !== 1) {
    throw new OutriggerError("usage", "Name the token with one of --token-file, --slot and --digest");
  }
  const { readClusterRecord, watchDeployment } = await import("../../connect/connect-cluster.ts");
  const deployment = await openDeployment(options, io);
  const cluster = options.as ?? options.cluster;
  const record = await readClusterRecord(deployment, cluster);
  if (record === undefined)
    throw new OutriggerError("cluster-unknown", `There is no cluster ${cluster}: see outrigger clusters`);
  const sha256 =
    tokenFile === undefined ? named(options, cluster, record) : digestOfToken((await readText(tokenFile, io)).trim());
  if (record.tokens.some((token) => token.sha256 === sha256)) {
    const countCalls = (await watchDeployment(deployment, io.env)).countCalls(cluster);
    const effect = await retirementEffect({ cluster, record, sha256, countCalls, now: Date.now() });
    if (effect.isUsed && options.now !== true) throw stillUsed(effect.sentence, cluster);
    io.stderr.write(`${effect.sentence}\n`);
  }
  const cause = await causeOf(deployment, options.message);
  const { message } = await deployment.askPublisher({ action: "retire-token", cause, cluster, sha256 });
  printResult(io, undefined, { cluster }, message);
}

/** The digest of the live token that the slot or the first characters name. */
function named({ slot, digest }: RetireOptions, cluster: string, { tokens }: ClusterRecord): string {
  const fitting = tokens.filter(({ sha256 }, index) =>
    slot === undefined ? sha256.startsWith(digest ?? "") : String(index + 1) === slot,
  );
  const [token] = fitting;
  if (token !== undefined && fitting.length === 1) return token.sha256;
  const live = tokens.map(({ sha256 }, index) => `${index + 1} is ${sha256.slice(0, 8)}…`).join(", ");
  const why = fitting.length === 0 ? "no live token fits" : "both live tokens fit";
  throw new OutriggerError("usage", `Cannot retire a token of ${cluster}: ${why} (${live})`, { path: cluster });
}

function stillUsed(sentence: string, cluster: string): OutriggerError {
  return new OutriggerError(
    "cluster-conflict",
    `Not retired. ${sentence}. Give the webhooks another token first, or pass --now`,
    { path: cluster },
  );
}

function parseDigest(text: string): string {
  if (/^[0-9a-f]{4,64}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError("A digest is 4 to 64 hexadecimal digits.");
}
