// The options that name an EKS cluster and describe its webhook. Makes no calls.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { DEFAULT_REVISION, defined, usageError } from "@outrigger/base";
import type { RequestedSettings } from "@outrigger/cluster";
import { rolloutPhases } from "@outrigger/webhook";
import { InvalidArgumentError } from "commander";
import type { Io } from "../terminal/io.ts";
import { type AwsOptions, deploymentOptions } from "./aws-options.ts";
import { parseClusterName, parseRegionName, parseRoleArn, wholeNumber } from "./names.ts";
import { type OptionsOf, optionTable } from "./option.ts";
import { sharedOptions } from "./shared-options.ts";

/** The options that say where a cluster is, if its name and its deployment do not. */
const placeOptions = optionTable({
  as: {
    argument: "<name>",
    about: "the name of its registration (default: the cluster's name)",
    parse: parseClusterName,
  },
  clusterRegion: {
    argument: "<region>",
    about: "the cluster's Region, if it differs from the deployment's",
    parse: parseRegionName,
  },
  roleArn: {
    argument: "<arn>",
    about: "the role to assume, for a cluster in another account",
    parse: parseRoleArn,
  },
});

const cluster = optionTable({ cluster: { argument: "<name>", about: "the EKS cluster", parse: parseClusterName } });

/** The options of a command that changes a registration or its tokens. */
export const clusterOptions = optionTable({
  ...deploymentOptions,
  cluster: { ...cluster.cluster, isRequired: true },
  ...placeOptions,
  message: { ...sharedOptions.message, about: "the reason, recorded with the change" },
});

export type ClusterOptions = AwsOptions & Omit<OptionsOf<typeof clusterOptions>, "message">;

export const kubeconfigOptions = optionTable({
  kubeconfig: { argument: "<file>", about: "the kubeconfig (default: $KUBECONFIG, or ~/.kube/config)" },
  context: { argument: "<name>", about: "the context (default: the current one)" },
});

export type KubeconfigOptions = OptionsOf<typeof kubeconfigOptions>;

/** The options that name a cluster by its name in EKS or by a kubeconfig; it need not be named. */
export const runningOptions = optionTable({ ...cluster, ...placeOptions, ...kubeconfigOptions });

export type RunningOptions = AwsOptions & OptionsOf<typeof runningOptions>;

/** The options of a command that asks about the pods of several clusters. */
export const fleetOptions = optionTable({
  ...runningOptions,
  cluster: { ...cluster.cluster, about: "an EKS cluster whose workloads are compared; repeatable", isRepeatable: true },
  context: {
    ...kubeconfigOptions.context,
    about: "the same by a context of a kubeconfig; repeatable",
    isRepeatable: true,
  },
  namespace: sharedOptions.namespace,
  selector: sharedOptions.selector,
});

export type FleetOptions = AwsOptions & OptionsOf<typeof fleetOptions>;

/** Whether the options name a cluster, by whatever name. */
export function namesCluster({ cluster, context, kubeconfig }: FleetOptions): boolean {
  return cluster !== undefined || context !== undefined || kubeconfig !== undefined;
}

/**
 * The options for each cluster by itself. One name with one context is the same cluster, as with every other command.
 *
 * @throws OutriggerError `usage` where it is not known which context is of which name
 */
export function eachCluster({ cluster, context, ...rest }: FleetOptions): readonly RunningOptions[] {
  const [names, contexts] = [[...new Set(cluster)], [...new Set(context)]];
  const isMixed = names.length > 0 && contexts.length > 0 && names.length + contexts.length > 2;
  if (isMixed)
    throw usageError("Cannot use --cluster and --context for several clusters: name all of them by one of the two");
  if (names.length + contexts.length > 1 && names.length * contexts.length !== 1 && rest.as !== undefined) {
    throw usageError("Cannot use --as with several clusters: leave it out, and each is known by its registration");
  }
  if (names.length === 1 && contexts.length === 1)
    return [{ ...rest, ...defined({ cluster: names[0], context: contexts[0] }) }];
  const each = [...names.map((name) => ({ cluster: name })), ...contexts.map((name) => ({ context: name }))];
  return each.length === 0 ? [rest] : each.map((one) => ({ ...rest, ...one }));
}

/** Whether the options name a cluster by a kubeconfig. */
export function namesContext({ context, kubeconfig }: KubeconfigOptions): boolean {
  return context !== undefined || kubeconfig !== undefined;
}

/** The options that say which webhook a cluster gets. */
export const webhookOptions = optionTable({
  url: {
    argument: "<url>",
    about: "the webhook's base URL (default: the one given before, $OUTRIGGER_URL, or the stack's output)",
  },
  revision: { argument: "<revision>", about: "the revision (default: those that are registered, or default)" },
  tag: { argument: "<tag>", about: "another name for the revision; repeatable", isRepeatable: true },
  phase: { argument: "<phase>", about: "the phase of the rollout", choices: rolloutPhases },
  namespace: {
    argument: "<namespace>",
    about: "a namespace, for --phase namespace; repeatable",
    isRepeatable: true,
  },
  enableNamespacesByDefault: {
    argument: "[true|false]",
    about: "also send pods without any injection label (Istio's value of that name)",
    parse: parseBoolean,
  },
  clusterId: { argument: "<id>", about: "Istio's name for the cluster (default: istiod's own)" },
  network: { argument: "<network>", about: "Istio's network of the cluster" },
  timeout: {
    argument: "<seconds>",
    about: "how long the API server waits for an answer",
    parse: wholeNumber(1, 30, "A timeout is 1 to 30 whole seconds."),
  },
  failurePolicy: {
    argument: "<policy>",
    about: "whether a pod is admitted when a call fails (default: decided by the phase)",
    choices: ["Ignore", "Fail"],
  },
  reinvocationPolicy: {
    argument: "<policy>",
    about: "whether a pod comes again after a later webhook changed it (default: IfNeeded)",
    choices: ["Never", "IfNeeded"],
  },
  safetyNet: {
    argument: "<mode>",
    about: "a policy for pods that should have a sidecar but have none",
    choices: ["deny", "warn", "off"],
  },
  caFile: {
    argument: "<file>",
    about: "PEM certificates of the webhook's certificate authorities, if they are not public",
  },
});

export type WebhookOptions = OptionsOf<typeof webhookOptions>;

/** The settings that the options ask for; what no option names is left out. */
export async function requestedSettings(options: WebhookOptions, url: string, io: Io): Promise<RequestedSettings> {
  const {
    revision = DEFAULT_REVISION,
    tag: tags,
    phase,
    namespace: namespaces,
    timeout: timeoutSeconds,
    caFile,
  } = options;
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
