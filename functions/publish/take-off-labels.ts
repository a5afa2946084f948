// Taking labels off through the SDK: off the oldest version only, which blocks the next write.
import {
  GetParameterHistoryCommand,
  type ParameterHistory,
  type SSMClient,
  UnlabelParameterVersionCommand,
} from "@aws-sdk/client-ssm";
import { defined } from "@outrigger/base";
import type { TakeOffLabels } from "./unlabelled-store.ts";

/** @throws the service's error; an Error where the oldest version has no label (any more) */
export function takeOffLabels(client: SSMClient): TakeOffLabels {
  return async (name) => {
    const versions: ParameterHistory[] = [];
    let next: string | undefined;
    do {
      const command = new GetParameterHistoryCommand({ Name: name, MaxResults: 50, ...defined({ NextToken: next }) });
      const { Parameters = [], NextToken } = await client.send(command);
      versions.push(...Parameters);
      next = NextToken;
    } while (next !== undefined);
    const [oldest] = versions.sort((a, b) => (a.Version ?? 0) - (b.Version ?? 0));
    const { Version: version, Labels: labels = [] } = oldest ?? {};
    if (version === undefined || labels.length === 0) throw new Error(`The oldest version of ${name} has no label`);
    await client.send(new UnlabelParameterVersionCommand({ Name: name, ParameterVersion: version, Labels: labels }));
    return `${labels.map((label) => JSON.stringify(label)).join(", ")} off version ${version}`;
  };
}
