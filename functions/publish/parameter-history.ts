// What Parameter Store's own history of a parameter is asked for: who made an edit, and the labels that block a write.
import {
  type ParameterHistory,
  paginateGetParameterHistory,
  type SSMClient,
  UnlabelParameterVersionCommand,
} from "@aws-sdk/client-ssm";
import type { CallOptions, OutsideCall } from "@outrigger/aws";
import { defined } from "@outrigger/base";
import type { PublisherDependencies } from "@outrigger/publisher";

/**
 * Returns the call that finds who wrote a version of a parameter: the ARN of a user or of a role's session.
 *
 * @throws the service's error
 */
export function editorOf(client: SSMClient): NonNullable<PublisherDependencies["editorOf"]> {
  return async ({ name, version }, options) => {
    for await (const { Parameters } of pagesOf(client, name, options)) {
      const found = Parameters?.find(({ Version }) => Version === version);
      if (found !== undefined) return found.LastModifiedUser;
    }
    return undefined;
  };
}

/**
 * Takes the labels off the oldest version of a parameter, and says which they were: `"keep" off version 7`.
 *
 * @throws the service's error; an Error where the oldest version has no label (any more)
 */
export function takeOffLabels(client: SSMClient): OutsideCall<string, string> {
  return async (name, options) => {
    const versions: ParameterHistory[] = [];
    for await (const { Parameters = [] } of pagesOf(client, name, options)) versions.push(...Parameters);
    const [oldest] = versions.sort((a, b) => (a.Version ?? 0) - (b.Version ?? 0));
    const { Version: version, Labels: labels = [] } = oldest ?? {};
    if (version === undefined || labels.length === 0) throw new Error(`The oldest version of ${name} has no label`);
    const command = new UnlabelParameterVersionCommand({ Name: name, ParameterVersion: version, Labels: labels });
    await client.send(command, defined({ abortSignal: options?.signal }));
    return `${labels.map((label) => JSON.stringify(label)).join(", ")} off version ${version}`;
  };
}

/** A parameter has at most a hundred versions. */
function pagesOf(client: SSMClient, Name: string, { signal }: CallOptions = {}) {
  return paginateGetParameterHistory({ client, pageSize: 50 }, { Name }, defined({ abortSignal: signal }));
}
