// The form of a statement in an IAM policy, and where a deployment is. Pure.
import type { JsonObject } from "@outrigger/base";

/** A deployment: its stage, and the account and Region that it is in. */
export interface Place {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  readonly stage: string;
}

/**
 * A statement that allows actions of one service.
 *
 * @example
 * ```ts
 * statement("Find", "eks", ["DescribeCluster"], ["*"]).Action // => ["eks:DescribeCluster"]
 * ```
 */
export function statement(
  Sid: string,
  service: string,
  actions: readonly string[],
  Resource: readonly string[],
  condition: Readonly<Record<string, string | readonly string[]>> = {},
): JsonObject {
  const Condition = Object.keys(condition).length === 0 ? {} : { Condition: { StringEquals: condition } };
  return { Sid, Effect: "Allow", Action: actions.map((action) => `${service}:${action}`), Resource, ...Condition };
}
