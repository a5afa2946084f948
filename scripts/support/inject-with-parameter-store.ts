// What functions/inject will weigh with the Parameter Store client: measured by `npm run size`, not shipped.
import { GetParametersByPathCommand, GetParametersCommand, SSMClient } from "@aws-sdk/client-ssm";
import { handler as inject } from "../../functions/inject/index.ts";

export const handler = inject;

const client = new SSMClient({});

/** Values by name, in one call: at most ten. */
export async function readParameters(names: readonly string[]) {
  const { Parameters } = await client.send(new GetParametersCommand({ Names: [...names] }));
  return (Parameters ?? []).map(({ Name, Value }) => [Name, Value]);
}

/** One page of the values below a path, and the token of the next. */
export async function readPage(path: string, token: string | undefined) {
  const { Parameters, NextToken } = await client.send(
    new GetParametersByPathCommand({
      Path: path,
      Recursive: true,
      ...(token === undefined ? {} : { NextToken: token }),
    }),
  );
  return { values: (Parameters ?? []).map(({ Name, Value }) => [Name, Value]), next: NextToken };
}
