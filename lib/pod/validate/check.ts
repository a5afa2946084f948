// What a validation found and where it is: the one mutable thing in this folder. Knows no rule.
// Nothing is allocated for what is fine; a path is written out only for a violation.

import { type FieldPath, isObject, lookup } from "@outrigger/base";
import { formatFieldPath } from "../field-path.ts";
import type { Given } from "./go-values.ts";

/** The API server's reasons, as in field.ErrorType: required, invalid and so on. */
export type ViolationCode =
  | "required"
  | "invalid"
  | "not-supported"
  | "duplicate"
  | "forbidden"
  | "not-found"
  | "too-long"
  | "too-many";

/** A violation for which an API server would refuse a pod, with its place. */
export interface PodViolation {
  /** The path of the field: `spec.containers[0].ports[1].protocol` */
  readonly path: string;
  readonly code: ViolationCode;
  /**
   * A clause that says what must be true of the field. It contains names of containers, volumes and the like, never
   * other values of the pod.
   */
  readonly message: string;
  /** The path as keys and indices. */
  readonly steps: FieldPath;
}

/** A validation under way. Its depth is bounded: nothing unknown is entered. */
export interface Check {
  readonly steps: (string | number)[];
  readonly violations: PodViolation[];
}

/** The most violations that are reported. A pod may be wrong ten thousand times. */
const MAX_VIOLATIONS = 50;

/** Notes a violation of the field that the keys lead to from here. */
export function report(check: Check, code: ViolationCode, message: string, ...keys: FieldPath): void {
  if (check.violations.length >= MAX_VIOLATIONS) return;
  const steps = [...check.steps, ...keys];
  check.violations.push({ path: formatFieldPath(steps), code, message, steps });
}

/** Notes a field whose value is wrong, as most rules do. */
export function invalid(check: Check, message: string, ...keys: FieldPath): void {
  report(check, "invalid", message, ...keys);
}

/** True when no further violation is kept, so that a long list of wrong items ends early. */
export function isFull(check: Check): boolean {
  return check.violations.length >= MAX_VIOLATIONS;
}

/** A function that checks an object. Its path is noted already: what it reports is relative to it. */
export type Rule<T, C = undefined> = (value: T, check: Check, context: C) => void;

/** Runs the rule on an object under its key. Absent objects are none of a rule's business. */
export function checkField<T, C>(check: Check, key: string, value: Given<T>, rule: Rule<T, C>, context: C): void {
  if (!isObject(value)) return;
  check.steps.push(key);
  judge(value as T & object, rule, check, context);
  check.steps.pop();
}

/**
 * Frozen nodes that passed, with the rule and its context. They are constants of a release: what is right once, by a
 * rule in a context, is right in every pod.
 */
const accepted = new WeakMap<object, { readonly rule: unknown; readonly context: unknown }>();

function isAccepted(value: object, rule: unknown, context: unknown): boolean {
  const known = accepted.get(value);
  return known !== undefined && known.rule === rule && known.context === context;
}

/** Runs the rule, once for a constant if nothing else of the pod is asked: if its context is a scalar, or none. */
function judge<T extends object, C>(value: T, rule: Rule<T, C>, check: Check, context: C): void {
  const canBeConstant = typeof context !== "object";
  if (canBeConstant && isAccepted(value, rule, context)) return;
  const { length } = check.violations;
  rule(value, check, context);
  const isFine = check.violations.length === length;
  if (canBeConstant && isFine && Object.isFrozen(value)) accepted.set(value, { rule, context });
}

/**
 * Runs the rule on each item of a list, except on items that are the same nodes as in the list before. Null items are
 * read as empty objects, as the API server reads them.
 */
export function checkItems<T, C>(
  check: Check,
  key: string,
  list: Given<readonly T[]>,
  before: Given<readonly T[]>,
  rule: Rule<T, C>,
  context: C,
): void {
  if (list === before || !Array.isArray(list)) return;
  const canBeConstant = typeof context !== "object";
  if (canBeConstant && isAccepted(list, rule, context)) return;
  const isConstant = canBeConstant && !Array.isArray(before) && Object.isFrozen(list);
  const { length } = check.violations;
  const isKnown = knownItems(before);
  check.steps.push(key);
  for (let at = 0; at < list.length && !isFull(check); at++) {
    const item = list[at];
    if (isKnown(item, at)) continue;
    if (item !== null && !isObject(item)) continue;
    check.steps.push(at);
    judge((item ?? {}) as T & object, rule, check, context);
    check.steps.pop();
  }
  check.steps.pop();
  if (isConstant && check.violations.length === length) accepted.set(list, { rule, context });
}

/** Whether an item was in the list before: asked by position first, as most items stay where they are. */
export function knownItems(before: unknown): (item: unknown, at: number) => boolean {
  if (!Array.isArray(before) || before.length === 0) return () => false;
  const known = lookup<unknown>(before);
  return (item, at) => item === before[at] || known.has(item);
}

/** A name as it is quoted in messages: cut where it is long. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}
