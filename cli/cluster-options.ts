// Owns the options by which commands name an EKS cluster and what its webhook shall be. Talks to nothing.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { AskedSettings } from "../lib/cluster/plan-settings.ts";
import { OutriggerError } from "../lib/errors.ts";
import { clusterNamePattern } from "../lib/names.ts";
import { DEFAULT_REVISION, type RolloutStage, rolloutStages } from "../lib/webhook/webhook-settings.ts";
import { type AwsOptions, withAwsOptions } from "./aws-options.ts";
import type { Io } from "./io.ts";
import { parseRegionName, parseRoleArn } from "./names.ts";

export interface ClusterOptions extends AwsOptions {
  readonly cluster: string;
  readonly as?: string;
  readonly clusterRegion?: string;
  readonly roleArn?: string;
}

/** Gives a command the options of a deployment and of a cluster. */
export function withClusterOptions(command: Command): Command {
  return withAwsOptions(command)
    .requiredOption("--cluster <name>", "the EKS cluster", parseClusterName)
    .option("--as <name>", "what the cluster is registered as (default: its name)", parseClusterName)
    .option("--cluster-region <region>", "the cluster's Region, where it is not the deployment's", parseRegionName)
    .option("--role-arn <arn>", "the role to assume for the cluster, as for one in another account", parseRoleArn);
}

export interface WebhookOptions {
  readonly url?: string;
  readonly revision: string;
  readonly tag?: readonly string[];
  readonly stage?: RolloutStage;
  readonly namespace?: readonly string[];
  readonly clusterId?: string;
  readonly network?: string;
  readonly timeout?: number;
  readonly failurePolicy?: "Ignore" | "Fail";
  readonly safetyNet?: "deny" | "warn" | "off";
  readonly caFile?: string;
}

/** Gives a command the options of a webhook. */
export function withWebhookOptions(command: Command): Command {
  return command
    .option("--url <url>", "where the webhook answers (default: $OUTRIGGER_URL, or the stack's output)")
    .option("--revision <revision>", "the revision that is served", DEFAULT_REVISION)
    .option("--tag <tag>", "one more name of the revision; may be given again", collect)
    .addOption(new Option("--stage <stage>", "how far the rollout goes").choices(rolloutStages))
    .option("--namespace <namespace>", "a namespace of the stage namespace; may be given again", collect)
    .option("--cluster-id <id>", "Istio's name for the cluster (default: istiod's own)")
    .option("--network <network>", "Istio's network of the cluster")
    .option("--timeout <seconds>", "how long the API server waits for an answer", parseSeconds)
    .addOption(
      new Option(
        "--failure-policy <policy>",
        "what becomes of a pod when a call fails, instead of the stage's own",
      ).choices(["Ignore", "Fail"]),
    )
    .addOption(
      new Option("--safety-net <mode>", "a policy for pods that should have a sidecar and have none").choices([
        "deny",
        "warn",
        "off",
      ]),
    )
    .option("--ca-file <file>", "PEM authorities, for a webhook whose certificate no public one has signed");
}

/** What the options ask for; what is left out is left out. */
export async function askedSettings(options: WebhookOptions, url: string, io: Io): Promise<AskedSettings> {
  const { revision, tag, stage, namespace, clusterId, network, timeout, failurePolicy, safetyNet, caFile } = options;
  const caBundle = caFile === undefined ? undefined : await readText(caFile, io);
  const asked = {
    tags: tag,
    stage,
    namespaces: namespace,
    clusterId,
    network,
    timeoutSeconds: timeout,
    failurePolicy,
    safetyNet,
    caBundle,
  };
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  return { url, revision, ...(Object.fromEntries(given) as Omit<AskedSettings, "url" | "revision">) };
}

/** A text file of the user's. */
export async function readText(file: string, io: Io): Promise<string> {
  try {
    return await readFile(resolve(io.cwd, file), "utf8");
  } catch (cause) {
    throw new OutriggerError("usage", `Cannot read ${file}: there is no such file, or it may not be read`, {
      path: file,
      cause,
    });
  }
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

function parseClusterName(text: string): string {
  if (clusterNamePattern.test(text)) return text;
  throw new InvalidArgumentError("A cluster's name has at most 100 letters, digits, dashes and underscores.");
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds >= 1 && seconds <= 30) return seconds;
  throw new InvalidArgumentError("A timeout is 1 to 30 whole seconds.");
}
