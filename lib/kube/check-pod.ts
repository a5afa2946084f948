// Checks a pod against the Pod schema: types and unknown fields, in what differs from the pod that came.
// Not a validation: whether names are unique or an image is given is the API server's business.

import { isObject, type JsonObject } from "../json.ts";
import { type FieldPath, formatFieldPath } from "./field-path.ts";
import { isQuantity } from "./quantity.ts";
import { POD_TYPE, type TypeSchema } from "./schema.ts";

export interface SchemaViolation {
  /** `spec.containers[0].ports[1].protocol` */
  readonly path: string;
  readonly message: string;
}

/** A pod that is wrong ten thousand times is reported this often. */
const MAX_VIOLATIONS = 50;

/**
 * What the API server would not read as a Pod, or would drop without a word: values of the wrong type and fields that a
 * Pod does not have. Null is read as absent, as the API server does.
 *
 * @param before subtrees that are the same node here and there are taken as checked; list items are compared by position
 * and, as injected items shift the others, with every item of the list before
 * @returns at most 50 violations; none when the pod is fine
 */
export function checkPod(pod: unknown, before?: unknown): readonly SchemaViolation[] {
  const violations: SchemaViolation[] = [];
  checkValue(pod, before, POD_TYPE, undefined, violations);
  return violations;
}

function checkValue(
  value: unknown,
  before: unknown,
  type: TypeSchema,
  path: FieldPath | undefined,
  violations: SchemaViolation[],
): void {
  if (value === before || value === undefined || value === null || violations.length >= MAX_VIOLATIONS) return;
  switch (type.kind) {
    case "object":
      if (!isObject(value)) report(violations, path, "must be an object");
      else checkObject(value, before, type, path, violations);
      return;
    case "map":
      if (!isObject(value)) report(violations, path, "must be an object");
      else checkMap(value, before, type.element as TypeSchema, path, violations);
      return;
    case "list":
      if (!Array.isArray(value)) report(violations, path, "must be a list");
      else checkList(value, before, type.element as TypeSchema, path, violations);
      return;
    default: {
      const message = checkScalar(value, type);
      if (message !== undefined) report(violations, path, message);
    }
  }
}

function checkObject(
  object: JsonObject,
  before: unknown,
  type: TypeSchema,
  path: FieldPath | undefined,
  violations: SchemaViolation[],
): void {
  const old = isObject(before) ? before : undefined;
  for (const key in object) {
    const value = object[key];
    const field = type.fields.get(key);
    if (field === undefined) {
      if (value !== undefined && value !== old?.[key]) report(violations, { parent: path, step: key }, "is not a field of a Pod");
    } else if (typeof value === "object") {
      checkValue(value, old?.[key], field.type, { parent: path, step: key }, violations);
    } else if (value !== undefined && value !== old?.[key]) {
      const message = checkScalar(value, field.type);
      if (message !== undefined) report(violations, { parent: path, step: key }, message);
    }
  }
}

function checkMap(
  map: JsonObject,
  before: unknown,
  element: TypeSchema,
  path: FieldPath | undefined,
  violations: SchemaViolation[],
): void {
  const old = isObject(before) ? before : undefined;
  for (const key in map) {
    const value = map[key];
    if (value === old?.[key] || value === undefined || value === null) continue;
    const message = checkScalar(value, element);
    if (message !== undefined) report(violations, { parent: path, step: key }, message);
  }
}

function checkList(
  list: readonly unknown[],
  before: unknown,
  element: TypeSchema,
  path: FieldPath | undefined,
  violations: SchemaViolation[],
): void {
  const old: readonly unknown[] = Array.isArray(before) ? before : NO_ITEMS;
  const known = old.length > MAX_SCANNED ? new Set(old) : undefined;
  for (let at = 0; at < list.length; at++) {
    const item = list[at];
    if (item === old[at] || (known === undefined ? old.includes(item) : known.has(item))) continue;
    checkValue(item, old[at], element, { parent: path, step: at }, violations);
  }
}

const NO_ITEMS: readonly unknown[] = [];
const MAX_SCANNED = 16;

/** What is wrong with a value that should be a scalar of the type. */
function checkScalar(value: unknown, type: TypeSchema): string | undefined {
  switch (type.kind) {
    case "string":
      return typeof value === "string" ? undefined : "must be a string";
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "int32":
      return isInt32(value) ? undefined : "must be a 32-bit integer";
    case "int64":
      return Number.isInteger(value) && Math.abs(value as number) <= MAX_INT64 ? undefined : "must be an integer";
    case "number":
      return typeof value === "number" ? undefined : "must be a number";
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

const MAX_INT64 = 2 ** 63;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)$/;

function isInt32(value: unknown): boolean {
  return typeof value === "number" && (value | 0) === value;
}

/** The API server trims the text that it reads; a number is read by its digits. */
function isQuantityValue(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && isQuantity(value.trim()));
}

function report(violations: SchemaViolation[], path: FieldPath | undefined, message: string): void {
  if (violations.length < MAX_VIOLATIONS) violations.push({ path: formatFieldPath(path), message });
}
