// A policy in parts that IAM takes. Pure.
import { isObject, type JsonObject } from "@outrigger/base";

/** Characters without white space that a managed policy may have. */
const LIMIT = 6144;

/**
 * The statements of a policy in as few documents, in order, as are below IAM's limit for a managed policy.
 *
 * @example
 * ```ts
 * splitPolicy({ Version: "2012-10-17", Statement: [] }).length // => 1
 * ```
 */
export function splitPolicy(policy: JsonObject): readonly JsonObject[] {
  const { Statement } = policy;
  const statements = Array.isArray(Statement) ? Statement.filter(isObject) : [];
  const parts: JsonObject[][] = [[]];
  for (const statement of statements) {
    const last = parts.at(-1) ?? [];
    const fits = JSON.stringify({ ...policy, Statement: [...last, statement] }).length <= LIMIT;
    if (fits || last.length === 0) last.push(statement);
    else parts.push([statement]);
  }
  return parts.map((part) => ({ ...policy, Statement: part }));
}
