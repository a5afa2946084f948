// Finding out who made an edit. It is for people who read a channel's history: what cannot be found out is left out.

import { GetParameterHistoryCommand, type SSMClient } from "@aws-sdk/client-ssm";
import { defined } from "@outrigger/base";

/** Pages of a parameter's history: it has at most a hundred versions. */
const MAX_PAGES = 2;

/** Who wrote a version of a parameter: the ARN of a user or of a role's session. */
export function editorOf(client: SSMClient): (name: string, version: number) => Promise<string | undefined> {
  return async (name, version) => {
    let next: string | undefined;
    try {
      for (let page = 0; page < MAX_PAGES; page++) {
        const command = new GetParameterHistoryCommand({
          Name: name,
          MaxResults: 50,
          ...defined({ NextToken: next }),
        });
        const { Parameters = [], NextToken } = await client.send(command);
        const found = Parameters.find(({ Version }) => Version === version);
        if (found !== undefined || NextToken === undefined) return found?.LastModifiedUser;
        next = NextToken;
      }
    } catch {
      // The parameter has gone, or the permission is missing: an edit without a name is still an edit.
    }
    return undefined;
  };
}
