// Writing Parameter Store through the AWS SDK; reading is in ssm-parameter-reader.ts.
import {
  DeleteParametersCommand,
  GetParametersByPathCommand,
  GetParametersCommand,
  PutParameterCommand,
  type Parameter as SdkParameter,
  type SSMClient,
} from "@aws-sdk/client-ssm";
import { defined } from "@outrigger/base";
import type { ObjectStore } from "../bucket/object-store.ts";
import { keepTier, type Parameter, type ParameterReader, type ParameterStore } from "./parameter-store.ts";
import { storeError } from "./store-error.ts";

/** The port to Parameter Store. Timeouts, retries and credentials are the client's; the bucket's access is passed in. */
export function ssmParameterStore(client: SSMClient, objects?: ObjectStore): ParameterStore {
  return {
    ...defined({ objects }),
    ...ssmParameterReader(client),
    putParameter: (write, options) =>
      keepTier(write, async ({ name, value, overwrite, tier }) => {
        const command = new PutParameterCommand({
          Name: name,
          Value: value,
          Type: "String",
          Overwrite: overwrite,
          Tier: tier,
        });
        try {
          const { Version } = await client.send(command, sendOptions(options?.signal));
          return Version ?? 0;
        } catch (error) {
          throw storeError(error, "write", [name]);
        }
      }),
    async deleteParameters(names, { signal } = {}) {
      const command = new DeleteParametersCommand({ Names: [...names] });
      try {
        await client.send(command, sendOptions(signal));
      } catch (error) {
        throw storeError(error, "delete", names);
      }
    },
  };
}

/** The port's reading half. Timeouts, retries and credentials are the client's. */
function ssmParameterReader(client: SSMClient): Omit<ParameterReader, "objects"> {
  return {
    async getParameters(names, { signal } = {}) {
      const command = new GetParametersCommand({ Names: [...names] });
      try {
        const { Parameters = [] } = await client.send(command, sendOptions(signal));
        return Parameters.map(parameterOf);
      } catch (error) {
        throw storeError(error, "read", names);
      }
    },
    async getParametersByPath(path, next, { signal } = {}) {
      const command = new GetParametersByPathCommand({
        Path: path,
        Recursive: true,
        ...defined({ NextToken: next }),
      });
      try {
        const { Parameters = [], NextToken } = await client.send(command, sendOptions(signal));
        return { parameters: Parameters.map(parameterOf), next: NextToken };
      } catch (error) {
        throw storeError(error, "read", [path]);
      }
    },
  };
}

/** The SDK takes the signal under a name of its own, and no `undefined` for it. */
function sendOptions(signal: AbortSignal | undefined) {
  return signal === undefined ? {} : { abortSignal: signal };
}

function parameterOf({ Name, Value, Type, Version, LastModifiedDate }: SdkParameter): Parameter {
  return {
    name: Name ?? "",
    value: Value ?? "",
    type: Type ?? "String",
    version: Version ?? 0,
    ...defined({ lastModified: LastModifiedDate?.getTime() }),
  };
}
