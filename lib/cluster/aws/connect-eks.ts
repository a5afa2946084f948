// The way to a cluster by its name in EKS: its description, and a client whose tokens EKS takes.
import { DescribeClusterCommand, type EKSClient } from "@aws-sdk/client-eks";
import { awsFailure } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";
import type { AgentFor } from "../kube/http-exchange.ts";
import { openKube } from "../kube/kube-access.ts";
import { eksToken, reusedToken } from "./eks-token.ts";

export interface EksOptions {
  readonly region: string;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Returns what to try if the cluster's API server cannot be reached. */
  readonly remediation: (description: ClusterDescription) => string;
  readonly agentFor?: AgentFor;
}

/**
 * Finds a cluster in EKS, with the credentials of the client, and connects to its API server with them. No call is made to
 * the cluster yet.
 *
 * @throws OutriggerError `cluster-unknown`, `aws-denied`, `aws-unavailable`, or `cluster-unreachable` for a cluster that is
 * being made or removed
 */
export async function connectEks(client: EKSClient, cluster: string, options: EksOptions) {
  const { region, sleep, remediation, agentFor } = options;
  const description = await describeCluster(client, cluster, region);
  const { name, server: url, ca } = description;
  const token = reusedToken((now) => eksToken(client, { cluster: name, region, now }));
  const access = { name, url, ca, token, remediation: remediation(description), ...defined({ agentFor }) };
  return { description, kube: openKube(access, sleep) };
}

type ClusterDescription = Awaited<ReturnType<typeof describeCluster>>;

async function describeCluster(client: EKSClient, name: string, region: string) {
  const { cluster } = await client.send(new DescribeClusterCommand({ name })).catch((cause: unknown) => {
    if (cause instanceof Error && cause.name === "ResourceNotFoundException") {
      const remedy = "name its Region with --region and its account with --profile or --role-arn";
      const message = `There is no cluster "${name}" in ${region}: ${remedy}`;
      throw new OutriggerError("cluster-unknown", message, { path: name, cause });
    }
    return awsFailure({ doing: `describe cluster "${name}"`, action: "eks:DescribeCluster", region })(cause);
  });
  const { arn, endpoint, certificateAuthority, version, status, resourcesVpcConfig } = cluster ?? {};
  if (arn === undefined || endpoint === undefined || certificateAuthority?.data === undefined) {
    const message = `Cannot use cluster "${name}" in ${region}: EKS says that it is ${status ?? "without an endpoint"}; wait until it is ACTIVE`;
    throw new OutriggerError("cluster-unreachable", message);
  }
  return {
    name,
    /** The ARN by which a cluster is known: account, Region and name. */
    arn,
    region,
    server: endpoint,
    /** PEM. */
    ca: Buffer.from(certificateAuthority.data, "base64").toString("utf8"),
    /** `1.33`. */
    kubernetesVersion: version ?? "",
    /** False where the API server is reached from the cluster's own network only. */
    isPublic: resourcesVpcConfig?.endpointPublicAccess !== false,
  };
}
