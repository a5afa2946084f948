// The way to a cluster by its name in EKS: its description, and a client whose tokens EKS takes.
import { DescribeClusterCommand, type EKSClient } from "@aws-sdk/client-eks";
import { awsFailure, partitionOf } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";
import { SignatureV4 } from "@smithy/signature-v4";
import type { AgentFor } from "../kube/http-exchange.ts";
import { openKube } from "../kube/kube-access.ts";

export interface EksOptions {
  readonly region: string;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** What to try where its API server cannot be reached. */
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
  const token = () => eksToken(client, { cluster: name, region, now: Date.now() });
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

// The token that an EKS API server takes: a presigned request to STS with the cluster's name among what is signed.
// Nothing is sent to STS from here: the cluster's authenticator sends it, and STS answers who signed it.
/**
 * A bearer token for one cluster, as `aws eks get-token` makes it: `k8s-aws-v1.` and the URL as base64url.
 *
 * @param client whose credentials and hash are used; no call is made
 * @param now milliseconds since 1970
 */
export async function eksToken(
  { config }: Pick<EKSClient, "config">,
  { cluster, region, now }: { readonly cluster: string; readonly region: string; readonly now: number },
): Promise<string> {
  const { credentials, sha256 } = config;
  const signer = new SignatureV4({ service: "sts", region, credentials, sha256 });
  const hostname = `sts.${region}.${partitionOf(region).domain}`;
  const request = {
    method: "GET",
    protocol: "https:",
    hostname,
    path: "/",
    query: { Action: "GetCallerIdentity", Version: "2011-06-15" },
    headers: { host: hostname, "x-k8s-aws-id": cluster },
  };
  const options = { expiresIn: EXPIRES_SECONDS, signingDate: new Date(now) };
  const call = { doing: `sign in to cluster "${cluster}"`, action: "sts:GetCallerIdentity", region };
  const signed = await signer.presign(request, options).catch(awsFailure(call));
  const query = new URLSearchParams(signed.query as Record<string, string>);
  return `k8s-aws-v1.${Buffer.from(`https://${hostname}/?${query}`).toString("base64url")}`;
}

/** EKS takes a token for a quarter of an hour after it was signed, whatever is said here. */
const EXPIRES_SECONDS = 60;
