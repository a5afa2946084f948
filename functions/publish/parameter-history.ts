// What Parameter Store's own history of a parameter is asked for: who made an edit, and the labels that block a write.
import {
  GetParameterHistoryCommand,
  type ParameterHistory,
  type SSMClient,
  UnlabelParameterVersionCommand,
} from "@aws-sdk/client-ssm";
import { defined } from "@outrigger/base";
import type { TakeOffLabels } from "./outside-calls.ts";

/** Who wrote a version of a parameter: the ARN of a user or of a role's session. */
export function editorOf(client: SSMClient): (name: string, version: number) => Promise<string | undefined> {
  return async (name, version) => {
    try {
      for await (const page of pagesOf(client, name)) {
        const found = page.find(({ Version }) => Version === version);
        if (found !== undefined) return found.LastModifiedUser;
      }
    } catch {
      // The parameter has gone, or the permission is missing: an edit without a name is still an edit.
    }
    return undefined;
  };
}

/** @throws the service's error; an Error where the oldest version has no label (any more) */
export function takeOffLabels(client: SSMClient): TakeOffLabels {
  return async (name) => {
    const versions: ParameterHistory[] = [];
    for await (const page of pagesOf(client, name)) versions.push(...page);
    const [oldest] = versions.sort((a, b) => (a.Version ?? 0) - (b.Version ?? 0));
    const { Version: version, Labels: labels = [] } = oldest ?? {};
    if (version === undefined || labels.length === 0) throw new Error(`The oldest version of ${name} has no label`);
    await client.send(new UnlabelParameterVersionCommand({ Name: name, ParameterVersion: version, Labels: labels }));
    return `${labels.map((label) => JSON.stringify(label)).join(", ")} off version ${version}`;
  };
}

/** A parameter has at most a hundred versions. */
async function* pagesOf(client: SSMClient, name: string): AsyncGenerator<readonly ParameterHistory[]> {
  let next: string | undefined;
  do {
    const command = new GetParameterHistoryCommand({ Name: name, MaxResults: 50, ...defined({ NextToken: next }) });
    const { Parameters = [], NextToken } = await client.send(command);
    yield Parameters;
    next = NextToken;
  } while (next !== undefined);
}
