// The policies that `outrigger print policy` prints, for the account of the laboratory, judged as IAM does.
import { policyFor } from "@outrigger/aws";
import type { AwsCall } from "./fake-aws-services.ts";

export interface Statement {
  readonly Sid: string;
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
}

const PLACE = { partition: "aws", region: "eu-west-1", account: "111122223333", stage: "dev" };

export function statementsFor(kind: Parameters<typeof policyFor>[0]): readonly Statement[] {
  return policyFor(kind, PLACE)["Statement"] as unknown as readonly Statement[];
}

/** Whether a statement covers a call, matched as IAM matches: a star is any text. */
export function allows({ Action, Resource }: Statement, { action, resource }: AwsCall): boolean {
  const matches = (pattern: string) =>
    new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`).test(resource);
  return Action.includes(action) && Resource.some(matches);
}
