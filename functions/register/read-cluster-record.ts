// Reading one cluster's record: the only call to Parameter Store that the register function makes, and the only one that
// its role allows.
import { GetParametersCommand, type SSMClient } from "@aws-sdk/client-ssm";
import { readRecord, storeError } from "@outrigger/aws";
import { type ClusterRecord, parseClusterRecord } from "@outrigger/serving";

/** The record in a parameter, or undefined if there is none. */
export async function readClusterRecord(client: SSMClient, name: string): Promise<ClusterRecord | undefined> {
  const { Parameters } = await client.send(new GetParametersCommand({ Names: [name] })).catch((cause: unknown) => {
    throw storeError(cause, "read", [name]);
  });
  const [parameter] = Parameters ?? [];
  if (parameter === undefined) return undefined;
  const { Value: value = "", Type: type = "String", Version: version = 0 } = parameter;
  return parseClusterRecord(readRecord({ name, value, type, version }), name);
}
