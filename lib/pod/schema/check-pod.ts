// Checks the changes of a pod against the Pod schema: types and unknown fields. Does not validate values: unique names or
// a missing image are for lib/pod/validate.
import { isObject, type JsonObject } from "@outrigger/base";
import { formatFieldPath } from "../field-path.ts";
import { isQuantity } from "../quantity/quantity.ts";
import { knownItems } from "../validate/check.ts";
import { POD_TYPE, type TypeKind, type TypeSchema } from "./schema.ts";

export interface SchemaViolation {
  /** The path of the field: `spec.containers[0].ports[1].protocol` */
  readonly path: string;
  readonly message: string;
  /** The path without a key that the author may have chosen. */
  readonly loggedPath: string;
  /** An integer of 64 bits that JavaScript cannot hold exactly. */
  readonly isInexact: boolean;
}

const MAX_VIOLATIONS = 50;

/**
 * Finds values of the wrong type, which the API server rejects, and fields that a Pod does not have, which it drops
 * silently. Null counts as absent, as in the API server.
 *
 * @param before the pod before the change: nodes that are in both are not checked. A list item is looked up in the whole
 * list, because injected items shift the others
 * @param unknownFields whether fields that a Pod does not have are violations
 * @returns at most 50 violations
 */
export function checkPod(
  pod: unknown,
  before?: unknown,
  unknownFields: "reported" | "ignored" = "reported",
): readonly SchemaViolation[] {
  const walk: Walk = { steps: [], violations: [], unknownFields };
  checkValue(pod, before, POD_TYPE, walk);
  return walk.violations;
}

/** The position of the walk, and its findings. The schema limits the depth: unknown fields are not entered. */
interface Walk {
  readonly steps: (string | number)[];
  readonly violations: SchemaViolation[];
  readonly unknownFields: "reported" | "ignored";
}

function checkValue(value: unknown, before: unknown, type: TypeSchema, walk: Walk): void {
  if (value === before || value === undefined || value === null || walk.violations.length >= MAX_VIOLATIONS) return;
  if (typeof value === "object" && passed.get(value) === type) return;
  const isConstant = typeof value === "object" && Object.isFrozen(value);
  const { length } = walk.violations;
  checkNode(value, isConstant ? undefined : before, type, walk);
  if (isConstant && walk.violations.length === length) passed.set(value, type);
}

/**
 * Frozen nodes that passed, with their type. They are constants of a release: what is right once is right in every pod.
 * They are looked up before a node is tested for being frozen, which takes longer.
 */
const passed = new WeakMap<object, TypeSchema>();

function checkNode(value: unknown, before: unknown, type: TypeSchema, walk: Walk): void {
  const old = isObject(before) ? before : undefined;
  if (type.kind === "object" && isObject(value)) checkObject(value, old, type, walk);
  else if (type.kind === "list" && Array.isArray(value)) checkList(value, before, type.element as TypeSchema, walk);
  else if (type.kind === "map" && isObject(value)) checkMap(value, old, type.element as TypeSchema, walk);
  else {
    const message = checkScalar(value, type.kind);
    if (message !== undefined) report(walk, message);
  }
}

function checkObject(object: JsonObject, before: JsonObject | undefined, type: TypeSchema, walk: Walk): void {
  for (const key in object) {
    const value = object[key];
    const old = before === undefined ? undefined : before[key];
    if (value === undefined || value === old) continue;
    const field = type.fields.get(key);
    if (field === undefined) {
      if (walk.unknownFields === "reported") report(walk, "is not a field of a Pod", key);
    } else if (typeof value === "object") {
      walk.steps.push(key);
      checkValue(value, old, field.type, walk);
      walk.steps.pop();
    } else {
      const message = checkScalar(value, field.type.kind);
      if (message !== undefined) report(walk, message, key);
    }
  }
}

function checkMap(map: JsonObject, before: JsonObject | undefined, element: TypeSchema, walk: Walk): void {
  for (const key in map) {
    const value = map[key];
    if (value === undefined || value === null || (before !== undefined && value === before[key])) continue;
    const message = checkScalar(value, element.kind);
    if (message !== undefined) report(walk, message, key);
  }
}

function checkList(list: readonly unknown[], before: unknown, element: TypeSchema, walk: Walk): void {
  if (list.includes(undefined)) report(walk, "must not have empty items");
  const isKnown = knownItems(before);
  for (let at = 0; at < list.length; at++) {
    const item = list[at];
    if (isKnown(item, at)) continue;
    walk.steps.push(at);
    checkValue(item, Array.isArray(before) ? before[at] : undefined, element, walk);
    walk.steps.pop();
  }
}

/** The rule that a value breaks by its type, whatever it contains. */
function checkScalar(value: unknown, kind: TypeKind): string | undefined {
  switch (kind) {
    case "string":
      return typeof value === "string" ? undefined : "must be a string";
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "int32":
      return isInt32(value) ? undefined : "must be a 32-bit integer";
    case "int64":
      return Number.isSafeInteger(value) ? undefined : isInt64(value) ? INEXACT : "must be an integer";
    case "intOrString":
      return typeof value === "string" || isInt32(value) ? undefined : "must be a 32-bit integer or a string";
    case "quantity":
      return isQuantityValue(value) ? undefined : "must be a quantity like 100m, 1.5 or 2Gi";
    case "time":
      return typeof value === "string" && TIME.test(value) ? undefined : "must be a time like 2006-01-02T15:04:05Z";
    case "opaque":
    case "object":
    case "map":
      return isObject(value) ? undefined : "must be an object";
    default:
      return "must be a list";
  }
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)$/;

/**
 * Whether a value is of a scalar type, as an API server decodes it: integers by Go's 32 and 64 bits, quantities and times by
 * their form.
 *
 * @example
 * ```ts
 * isScalar(2 ** 31, "int32") // => false
 * isScalar("1.5Gi", "quantity") // => true
 * ```
 */
export function isScalar(value: unknown, kind: TypeSchema["kind"]): boolean {
  return kind === "int64" ? isInt64(value) : checkScalar(value, kind) === undefined;
}

/** The message for a number that is read as one next to it, so that none may be written. */
const INEXACT = "is beyond 9007199254740991, the largest integer that is kept exactly";

/** The number that the largest integer of 64 bits is read as. */
const MAX_INT64 = 2 ** 63;

function isInt64(value: unknown): boolean {
  return Number.isInteger(value) && Math.abs(value as number) <= MAX_INT64;
}

function isInt32(value: unknown): boolean {
  return typeof value === "number" && (value | 0) === value;
}

/** Whether a value is a quantity. The API server trims text, and reads a number by its digits. */
function isQuantityValue(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && isQuantity(value.trim()));
}

function report(walk: Walk, message: string, key?: string): void {
  if (walk.violations.length >= MAX_VIOLATIONS) return;
  const parent = formatFieldPath(walk.steps);
  const [path, loggedPath] =
    key === undefined ? [parent, parent] : [formatFieldPath([...walk.steps, key]), `${parent}[*]`];
  walk.violations.push({ path, message, loggedPath, isInexact: message === INEXACT });
}
