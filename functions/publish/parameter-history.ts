// What Parameter Store's own history of a parameter is asked for: who made an edit, and the labels that block a write.
import {
  type ParameterHistory,
  paginateGetParameterHistory,
  type SSMClient,
  UnlabelParameterVersionCommand,
} from "@aws-sdk/client-ssm";

/**
 * Who wrote a version of a parameter: the ARN of a user or of a role's session.
 *
 * @throws the service's error
 */
export function editorOf(client: SSMClient): (name: string, version: number) => Promise<string | undefined> {
  return async (name, version) => {
    for await (const { Parameters } of pagesOf(client, name)) {
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
export function takeOffLabels(client: SSMClient): (name: string) => Promise<string> {
  return async (name) => {
    const versions: ParameterHistory[] = [];
    for await (const { Parameters = [] } of pagesOf(client, name)) versions.push(...Parameters);
    const [oldest] = versions.sort((a, b) => (a.Version ?? 0) - (b.Version ?? 0));
    const { Version: version, Labels: labels = [] } = oldest ?? {};
    if (version === undefined || labels.length === 0) throw new Error(`The oldest version of ${name} has no label`);
    await client.send(new UnlabelParameterVersionCommand({ Name: name, ParameterVersion: version, Labels: labels }));
    return `${labels.map((label) => JSON.stringify(label)).join(", ")} off version ${version}`;
  };
}

/** A parameter has at most a hundred versions. */
function pagesOf(client: SSMClient, Name: string) {
  return paginateGetParameterHistory({ client, pageSize: 50 }, { Name });
}
