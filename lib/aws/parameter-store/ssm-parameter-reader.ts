// Reading Parameter Store through the AWS SDK. Imports the commands that reading takes and no others: what only
// reads stays small in its bundle.

import {
  GetParametersByPathCommand,
  GetParametersCommand,
  type Parameter as SdkParameter,
  type SSMClient,
} from "@aws-sdk/client-ssm";
import { defined } from "@outrigger/base";
import type { Parameter, ParameterReader } from "./parameter-store.ts";
import { storeError } from "./store-error.ts";

/** The port's reading half. Timeouts, retries and credentials are the client's. */
export function ssmParameterReader(client: SSMClient): Omit<ParameterReader, "objects"> {
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
export function sendOptions(signal: AbortSignal | undefined) {
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
