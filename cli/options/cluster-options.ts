// The options that name an EKS cluster and describe its webhook. Makes no calls.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { DEFAULT_REVISION, defined, usageError } from "@outrigger/base";
import type { RequestedSettings } from "@outrigger/cluster";
import { rolloutPhases } from "@outrigger/webhook";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Io } from "../terminal/io.ts";
import { type AwsOptions, withAwsOptions, withMessage } from "./aws-options.ts";
import { collect } from "./collect.ts";
import { parseClusterName, parseRegionName, parseRoleArn, wholeNumber } from "./names.ts";

export interface ClusterOptions extends AwsOptions {
  readonly cluster: string;
  readonly as?: string;
  readonly clusterRegion?: string;
  readonly roleArn?: string;
}

/** For commands that change a registration or its tokens. */
export function withClusterOptions(command: Command): Command {
  const made = withPlace(
    withAwsOptions(command).requiredOption("--cluster <name>", "the EKS cluster", parseClusterName),
  );
  return withMessage(made, "the reason, recorded with the change");
}

export interface KubeconfigOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export function withKubeconfigOptions(command: Command): Command {
  return command
    .option("--kubeconfig <file>", "the kubeconfig (default: $KUBECONFIG, or ~/.kube/config)")
    .option("--context <name>", "the context (default: the current one)");
}

/** Whether the options name a cluster by a kubeconfig. */
export function namesContext({ context, kubeconfig }: KubeconfigOptions): boolean {
  return context !== undefined || kubeconfig !== undefined;
}

/** A cluster that need not be named, by its name in EKS or by a kubeconfig. */
export interface RunningOptions extends Omit<ClusterOptions, "cluster">, KubeconfigOptions {
  readonly cluster?: string;
}

export function withRunningOptions(command: Command): Command {
  return withKubeconfigOptions(withPlace(command.option("--cluster <name>", "the EKS cluster", parseClusterName)));
}

function withPlace(command: Command): Command {
  return command
    .option("--as <name>", "the name of its registration (default: the cluster's name)", parseClusterName)
    .option("--cluster-region <region>", "the cluster's Region, if it differs from the deployment's", parseRegionName)
    .option("--role-arn <arn>", "the role to assume, for a cluster in another account", parseRoleArn);
}

/** Picked are the settings whose options have their names. */
export interface WebhookOptions
  extends Pick<RequestedSettings, "revision" | "phase" | "enableNamespacesByDefault" | "clusterId" | "network">,
    Pick<RequestedSettings, "failurePolicy" | "reinvocationPolicy" | "safetyNet"> {
  readonly url?: string;
  readonly tag?: readonly string[];
  readonly namespace?: readonly string[];
  readonly timeout?: number;
  readonly caFile?: string;
}

export function withWebhookOptions(command: Command): Command {
  return command
    .option("--url <url>", "the webhook's base URL (default: $OUTRIGGER_URL, or the stack's output)")
    .option("--revision <revision>", "the revision to register", DEFAULT_REVISION)
    .option("--tag <tag>", "another name for the revision; repeatable", collect)
    .addOption(new Option("--phase <phase>", "the phase of the rollout").choices(rolloutPhases))
    .option("--namespace <namespace>", "a namespace, for --phase namespace; repeatable", collect)
    .option(
      "--enable-namespaces-by-default [true|false]",
      "also send pods without any injection label (Istio's value of that name)",
      parseBoolean,
    )
    .option("--cluster-id <id>", "Istio's name for the cluster (default: istiod's own)")
    .option("--network <network>", "Istio's network of the cluster")
    .option("--timeout <seconds>", "how long the API server waits for an answer", parseSeconds)
    .addOption(
      new Option(
        "--failure-policy <policy>",
        "whether a pod is admitted when a call fails (default: decided by the phase)",
      ).choices(["Ignore", "Fail"]),
    )
    .addOption(
      new Option(
        "--reinvocation-policy <policy>",
        "whether a pod comes again after a later webhook changed it (default: IfNeeded)",
      ).choices(["Never", "IfNeeded"]),
    )
    .addOption(
      new Option("--safety-net <mode>", "a policy for pods that should have a sidecar but have none").choices([
        "deny",
        "warn",
        "off",
      ]),
    )
    .option("--ca-file <file>", "PEM certificates of the webhook's certificate authorities, if they are not public");
}

/** What the options ask for; what is left out is left out. */
export async function requestedSettings(options: WebhookOptions, url: string, io: Io): Promise<RequestedSettings> {
  const { revision, tag: tags, phase, namespace: namespaces, timeout: timeoutSeconds, caFile } = options;
  const { enableNamespacesByDefault, clusterId, network, failurePolicy, reinvocationPolicy, safetyNet } = options;
  const caBundle = caFile === undefined ? undefined : certificatesOf(await readText(caFile, io), caFile);
  const where = { tags, phase, namespaces, enableNamespacesByDefault, clusterId, network };
  return {
    url,
    revision,
    ...defined({ ...where, timeoutSeconds, failurePolicy, reinvocationPolicy, safetyNet, caBundle }),
  };
}

/**
 * The certificates alone: a file may hold a private key as well, as that of `outrigger start` does, and what a cluster reads
 * must not.
 */
function certificatesOf(text: string, file: string): string {
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length > 0) return `${certificates.join("\n")}\n`;
  throw usageError(`Cannot use ${file}: it has no PEM certificate`, { path: file });
}

export async function readText(file: string, io: Io): Promise<string> {
  try {
    return await readFile(resolve(io.cwd, file), "utf8");
  } catch (cause) {
    throw usageError(`Cannot read ${file}: the file does not exist, or you may not read it`, {
      path: file,
      cause,
    });
  }
}

function parseBoolean(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new InvalidArgumentError("It is true or false.");
}

const parseSeconds = wholeNumber(1, 30, "A timeout is 1 to 30 whole seconds.");
