// `outrigger print webhook`: prints what register would apply, for those who apply it themselves. Makes no calls.

import { usageError } from "@outrigger/base";
import { objectsToApply } from "@outrigger/cluster";
import { TOKEN_PLACEHOLDER } from "@outrigger/webhook";
import type { Command } from "commander";
import { readInput } from "../../manifests/read-input.ts";
import { stageOf, withStageOption } from "../../options/aws-options.ts";
import { readText, requestedSettings, type WebhookOptions, withWebhookOptions } from "../../options/cluster-options.ts";
import type { Io } from "../../terminal/io.ts";
import { printObjects, withObjectOptions } from "./print-objects.ts";

interface WebhookCommandOptions extends WebhookOptions {
  readonly deployment?: string;
  readonly tokenFile?: string;
  readonly json?: true;
}

const NOTES = `
Give the URL with --url or $OUTRIGGER_URL. Without a token, a placeholder is printed: replace it before you apply. The
token's SHA-256 must be in the cluster's record: run outrigger token add to add it (docs/register.md).

Examples:
  outrigger print webhook --url https://abc.execute-api.eu-west-1.amazonaws.com --token-file token | kubectl apply -f -
  outrigger print webhook --phase enforce --revision 1-30 --tag prod --safety-net deny`;

export function addPrintWebhookCommand(print: Command, io: Io): void {
  const command = withStageOption(withWebhookOptions(print.command("webhook")))
    .description("print the webhook configuration, for kubectl or Terraform")
    .option("--token-file <file>", "a file with the cluster's token; - for standard input");
  withObjectOptions(command)
    .addHelpText("after", NOTES)
    .action((options: WebhookCommandOptions) => runWebhook(options, io));
}

async function runWebhook(options: WebhookCommandOptions, io: Io): Promise<void> {
  const url = options.url ?? (io.env["OUTRIGGER_URL"] || undefined);
  if (url === undefined) {
    throw usageError("Cannot build a webhook without its URL: give it with --url, or set OUTRIGGER_URL");
  }
  const requested = await requestedSettings(options, url, io);
  const deployment = stageOf(options, io);
  const objects = objectsToApply(deployment, requested, await tokenOf(options, io));
  printObjects(objects, options.json, io);
}

async function tokenOf({ tokenFile }: WebhookCommandOptions, io: Io): Promise<string> {
  if (tokenFile === undefined) return TOKEN_PLACEHOLDER;
  return (await (tokenFile === "-" ? readInput : readText)(tokenFile, io)).trim();
}
