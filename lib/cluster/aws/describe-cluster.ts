// What EKS says of a cluster: where its API server is, by which CA it is known, which version it runs.
import { DescribeClusterCommand, type EKSClient } from "@aws-sdk/client-eks";
import { awsError } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";

/** A cluster is known by account, Region and name: its ARN. */
export interface ClusterDescription {
  readonly name: string;
  readonly arn: string;
  readonly region: string;
  readonly server: string;
  /** PEM. */
  readonly ca: string;
  /** `1.33`. */
  readonly kubernetesVersion: string;
  /** False where the API server is reached from the cluster's own network only. */
  readonly isPublic: boolean;
}

/**
 * @throws OutriggerError `cluster-unknown`, `aws-denied`, `aws-unavailable`, or `cluster-unreachable` for a cluster that is
 * being made or removed
 */
export async function describeCluster(client: EKSClient, name: string, region: string): Promise<ClusterDescription> {
  const { cluster } = await client.send(new DescribeClusterCommand({ name })).catch((cause: unknown) => {
    if (cause instanceof Error && cause.name === "ResourceNotFoundException") throw unknown(name, region, cause);
    throw awsError(cause, { doing: `describe cluster "${name}"`, action: "eks:DescribeCluster", region });
  });
  const { arn, endpoint, certificateAuthority, version, status, resourcesVpcConfig } = cluster ?? {};
  if (arn === undefined || endpoint === undefined || certificateAuthority?.data === undefined) {
    throw new OutriggerError(
      "cluster-unreachable",
      `Cannot use cluster "${name}" in ${region}: EKS says that it is ${status ?? "without an endpoint"}; wait until it is ACTIVE`,
    );
  }
  return {
    name,
    arn,
    region,
    server: endpoint,
    ca: Buffer.from(certificateAuthority.data, "base64").toString("utf8"),
    kubernetesVersion: version ?? "",
    isPublic: resourcesVpcConfig?.endpointPublicAccess !== false,
  };
}

function unknown(name: string, region: string, cause: unknown): OutriggerError {
  return new OutriggerError(
    "cluster-unknown",
    `There is no cluster "${name}" in ${region}: name its Region with --region and its account with --profile or --role-arn, or see aws eks list-clusters --region ${region}`,
    { path: name, cause },
  );
}
