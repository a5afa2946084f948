// Reading one cluster's record: the only call to Parameter Store that the register function makes, and the only one that
// its role allows.
import { GetParametersCommand, type SSMClient } from "@aws-sdk/client-ssm";
import { storeError } from "@outrigger/aws";
import { type ClusterRecord, readClusterRecord as recordIn } from "@outrigger/serving";

/** The record in a parameter, or undefined if there is none. */
export async function readClusterRecord(client: SSMClient, name: string): Promise<ClusterRecord | undefined> {
  const { Parameters } = await client.send(new GetParametersCommand({ Names: [name] })).catch((cause: unknown) => {
    throw storeError(cause, "read", [name]);
  });
  const [parameter] = Parameters ?? [];
  if (parameter === undefined) return undefined;
  const { Value: value = "", Type: type = "String", Version: version = 0 } = parameter;
  return recordIn({ name, value, type, version });
}
