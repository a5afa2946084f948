// The way to the API server of a kubeconfig's context.
import type { AgentFor } from "./http-exchange.ts";
import { openKube } from "./kube-access.ts";
import type { KubeClient } from "./kube-client.ts";
import { readKubeconfig } from "./kubeconfig.ts";
import type { KubeconfigSource } from "./kubeconfig-source.ts";

export interface KubeconfigPorts extends KubeconfigSource {
  /** Milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** The way to the server through a proxy; gets the `proxy-url` of the kubeconfig's cluster, where it has one. */
  readonly agentFor?: (proxyUrl: string | undefined) => AgentFor;
}

/**
 * A client of the API server that a kubeconfig names, with its credentials, as kubectl reads them: several files, contexts,
 * certificates inline or in files, tokens, and plugins that issue credentials. Files and plugins are the caller's.
 *
 * @throws OutriggerError `cluster-denied`, naming the file or entry and the remedy
 */
export async function openKubeconfig({ sleep, agentFor, ...source }: KubeconfigPorts): Promise<KubeClient> {
  const { proxyUrl, ...access } = await readKubeconfig(source);
  return openKube(agentFor === undefined ? access : { ...access, agentFor: agentFor(proxyUrl) }, sleep);
}
