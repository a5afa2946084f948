// `outrigger token retire`: one token of a cluster, named by its file, its slot or its digest. Contacts no cluster.
import { OutriggerError, usageError } from "@outrigger/base";
import { digestOfToken, retirementEffect } from "@outrigger/cluster";
import type { ClusterRecord } from "@outrigger/serving";
import { type Command, InvalidArgumentError } from "commander";
import { causeOf, openDeployment } from "../../connect/deployment.ts";
import { type ClusterOptions, readText, withClusterOptions } from "../../options/cluster-options.ts";
import { readClusterRecord } from "../../releases/read-records.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";

interface RetireOptions extends ClusterOptions {
  readonly tokenFile?: string;
  readonly now?: true;
}

export function addRetireCommand(token: Command, io: Io): void {
  withClusterOptions(token.command("retire"))
    .description("retire a token: calls with it are rejected from then on")
    .option("--token-file <file>", "the file that contains the token")
    .argument(
      "[token]",
      "its slot, 1 for the older of two, or the first characters of its SHA-256, at least four",
      parseToken,
    )
    .option("--now", "also if calls still come with it")
    .option("-m, --message <text>", "the reason, recorded with the change")
    .action((token: string | undefined, options: RetireOptions) => runRetire(token, options, io));
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
