// Parameter Store through the AWS SDK.
import {
  DeleteParametersCommand,
  DescribeParametersCommand,
  GetParametersByPathCommand,
  GetParametersCommand,
  PutParameterCommand,
  type Parameter as SdkParameter,
  type SSMClient,
} from "@aws-sdk/client-ssm";
import { defined } from "@outrigger/base";
import type { ObjectStore } from "../bucket/object-store.ts";
import type { CallOptions } from "../outside-call.ts";
import { layoutOf } from "../values/parameter-layout.ts";
import { keepTier } from "./keep-tier.ts";
import type { Parameter, ParameterStore } from "./parameter-store.ts";
import { storeError } from "./store-error.ts";

/** The port to Parameter Store. Timeouts, retries and credentials are the client's; the bucket is passed in. */
export function ssmParameterStore(client: SSMClient, objects: ObjectStore): ParameterStore {
  return {
    objects,
    async getParameters(names, options) {
      const command = new GetParametersCommand({ Names: [...names] });
      const { Parameters = [] } = await promised("read", names, client.send(command, sendOptions(options)));
      return Parameters.map(parameterOf);
    },
    async getParametersByPath({ path, next }, options) {
      const command = new GetParametersByPathCommand({ Path: path, Recursive: true, ...defined({ NextToken: next }) });
      const page = await promised("read", [path], client.send(command, sendOptions(options)));
      return { parameters: (page.Parameters ?? []).map(parameterOf), next: page.NextToken };
    },
    putParameter: (write, options) =>
      keepTier(write, async ({ name: Name, value: Value, overwrite: Overwrite, tier: Tier }) => {
        const command = new PutParameterCommand({ Name, Value, Type: "String", Overwrite, Tier });
        const { Version } = await promised("write", [Name], client.send(command, sendOptions(options)));
        return Version ?? 0;
      }),
    async deleteParameters(names, options) {
      const command = new DeleteParametersCommand({ Names: [...names] });
      await promised("delete", names, client.send(command, sendOptions(options)));
    },
  };
}

/** The answer, or the error that the port promises. */
function promised<Answer>(verb: "read" | "write" | "delete", names: readonly string[], answer: Promise<Answer>) {
  return answer.catch((error: unknown): never => {
    throw storeError(error, verb, names);
  });
}

/** The SDK takes the signal under a name of its own, and no `undefined` for it. */
function sendOptions({ signal }: CallOptions = {}) {
  return defined({ abortSignal: signal });
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

const HEAD = layoutOf("").head;

/** The prefixes below which something is published; undefined where parameters may not be listed. */
export async function publishedPrefixes(client: SSMClient): Promise<readonly string[] | undefined> {
  const prefixes: string[] = [];
  try {
    let next: string | undefined;
    do {
      const ParameterFilters = [{ Key: "Name", Option: "Contains", Values: [HEAD] }];
      const page = { ParameterFilters, MaxResults: 50, ...defined({ NextToken: next }) };
      const { Parameters = [], NextToken } = await client.send(new DescribeParametersCommand(page));
      const heads = Parameters.flatMap(({ Name = "" }) => (Name.endsWith(HEAD) ? [Name] : []));
      prefixes.push(...heads.map((name) => name.slice(0, -HEAD.length)));
      next = NextToken;
    } while (next !== undefined);
    return prefixes;
  } catch {
    return undefined;
  }
}
