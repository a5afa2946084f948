// Checks the values files of a tree against the values below them and against what the templates read, so that a misspelt
// key or a wrong type is reported at its line and not as a missing field of a pod.

import { isObject, type JsonObject, type JsonValue, type OutriggerError, objectOf, suggestName } from "@outrigger/base";
import { locateYaml } from "@outrigger/yaml";
import { fieldError, type SourceText } from "../read/read-tree.ts";
import type { TreeFinding } from "../source-tree.ts";
import { REQUIRED_VALUES, VALUE_RULES } from "./values-rules.ts";

export interface KnownValues {
  /** The values of the layers below the tree, merged; undefined if there is no layer below it. */
  readonly base: JsonObject | undefined;
  /** Paths below `values` that a template reads. */
  readonly used: readonly (readonly string[])[];
}

/**
 * Adds the findings about the values files of one tree.
 *
 * @returns the values with an error, as `values.global`: what a template reads below them is missing for that reason
 */
export function checkValues(
  files: readonly SourceText[],
  known: KnownValues,
  errors: OutriggerError[],
  warnings: TreeFinding[],
): readonly string[] {
  const faulty: string[] = [];
  for (const file of files) checkMapping(file.value, known.base, [], { file, known, errors, warnings, faulty });
  return faulty;
}

interface ValuesCheck {
  readonly file: SourceText;
  readonly known: KnownValues;
  readonly errors: OutriggerError[];
  readonly warnings: TreeFinding[];
  readonly faulty: string[];
}

type Keys = readonly string[];

function checkMapping(value: JsonValue, base: JsonValue | undefined, steps: Keys, check: ValuesCheck): void {
  const { known } = check;
  for (const [key, entry] of Object.entries(objectOf(value))) {
    const path = [...steps, key];
    const below = isObject(base) && Object.hasOwn(base, key) ? base[key] : undefined;
    if (entry === undefined) continue;
    if (isUnknown(path, base, below, known)) reportUnknown(path, base, check);
    else if (entry === null) {
      if (known.base === undefined || !REQUIRED_VALUES.includes(path.join("."))) continue;
      fail(path, `values.${path.join(".")} must not be null: every injected image needs it`, check);
    } else if (checkType(entry, below, path, check)) checkMapping(entry, below, path, check);
  }
}

/** A key is known if the layer below has it, if a template reads it or below it, or if it is in a map of any keys. */
function isUnknown(
  path: Keys,
  parent: JsonValue | undefined,
  below: JsonValue | undefined,
  known: KnownValues,
): boolean {
  if (known.base === undefined || below !== undefined) return false;
  if (path.length > 1 && (!isObject(parent) || Object.keys(parent).length === 0)) return false;
  return !known.used.some((used) => {
    const length = Math.min(used.length, path.length);
    return used.slice(0, length).every((name, index) => name === path[index]);
  });
}

function reportUnknown(path: Keys, parent: JsonValue | undefined, check: ValuesCheck): void {
  const names = new Set([
    ...(isObject(parent) ? Object.keys(parent) : []),
    ...check.known.used.flatMap((used) => used[path.length - 1] ?? []),
  ]);
  const near = suggestName(String(path.at(-1)), names);
  warn(path, "key", `values.${path.join(".")} is not known: no template reads it${near}`, check);
}

/** Whether the entries of a mapping are worth checking. */
function checkType(value: JsonValue, below: JsonValue | undefined, path: Keys, check: ValuesCheck): boolean {
  const name = `values.${path.join(".")}`;
  const rule = VALUE_RULES.find((one) => matches(one.path, path));
  if (rule !== undefined && check.known.base !== undefined && !rule.accepts(value)) {
    fail(path, `${name} must be ${rule.allowed}`, check);
    return false;
  }
  if (below === undefined || below === null) return true;
  const [type, expected] = [typeOf(value), typeOf(below)];
  if (type === expected) return true;
  const isCollection = (one: string) => one === "a mapping" || one === "a list";
  if (isCollection(expected) || isCollection(type)) {
    fail(path, `${name} must be ${expected}, as in the layer below: it is ${type}`, check);
  } else {
    const fix = expected === "text" ? "put it in quotes" : `write ${expected} without quotes`;
    warn(path, "value", `${name} is ${type}, and the layer below has ${expected}: ${fix}`, check);
  }
  return false;
}

function matches(pattern: string, path: Keys): boolean {
  const names = pattern.split(".");
  return names.length === path.length && names.every((name, index) => name === "*" || name === path[index]);
}

function typeOf(value: JsonValue): string {
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return "a mapping";
  return typeof value === "string" ? "text" : `a ${typeof value}`;
}

function fail(path: Keys, reason: string, { file, errors, faulty }: ValuesCheck): void {
  faulty.push(`values.${path.join(".")}`);
  errors.push(fieldError("values-invalid", file, path, `Cannot use ${file.path}: ${reason}`));
}

function warn(path: Keys, part: "key" | "value", message: string, { file, warnings }: ValuesCheck): void {
  warnings.push({ severity: "warning", path: file.path, ...locateYaml(file.text, path, part), message });
}
