// The way to a cluster by its name in EKS: its description, and a client whose tokens EKS takes.
import type { EKSClient } from "@aws-sdk/client-eks";
import { defined } from "@outrigger/base";
import type { AgentFor } from "../kube/http-exchange.ts";
import { openKube } from "../kube/kube-access.ts";
import type { KubeClient } from "../kube/kube-client.ts";
import { type ClusterDescription, describeCluster } from "./describe-cluster.ts";
import { eksToken } from "./eks-token.ts";

export interface EksConnection {
  readonly description: ClusterDescription;
  readonly kube: KubeClient;
}

export interface EksOptions {
  /** The cluster's Region. */
  readonly region: string;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** What to try where its API server cannot be reached. */
  readonly remediation: (description: ClusterDescription) => string;
  /** The way there where it leads through a proxy. */
  readonly agentFor?: AgentFor;
}

/**
 * Finds a cluster in EKS, with the credentials of the client, and connects to its API server with them. No call is made to
 * the cluster yet.
 *
 * @throws OutriggerError `cluster-unknown`, `aws-denied`, `aws-unavailable`, or `cluster-unreachable` for a cluster that is
 * being made or removed
 */
export async function connectEks(client: EKSClient, cluster: string, options: EksOptions): Promise<EksConnection> {
  const { region, sleep, remediation, agentFor } = options;
  const description = await describeCluster(client, cluster, region);
  const { name, server: url, ca } = description;
  const token = () => eksToken(client, { cluster: name, region, now: Date.now() });
  const access = { name, url, ca, token, remediation: remediation(description), ...defined({ agentFor }) };
  return { description, kube: openKube(access, sleep) };
}
