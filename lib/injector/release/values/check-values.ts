// Checks the values files of a tree against the values below them and against what the templates read, so that a misspelt
// key or a wrong type is reported at its line and not as a missing field of a pod.

import {
  entryOf,
  isObject,
  type JsonObject,
  type JsonValue,
  type OutriggerError,
  objectOf,
  suggestName,
  valueAt,
} from "@outrigger/base";
import { locateYaml } from "@outrigger/yaml";
import { fieldError, type SourceText } from "../read/source-text.ts";
import type { TreeFinding } from "../tree-finding.ts";
import { REQUIRED_VALUES, valueProblem } from "./values-rules.ts";

interface KnownValues {
  /** The values of the layers below the tree, merged; undefined if there is no layer below it. */
  readonly base: JsonObject | undefined;
  /** Paths below `values` that a template reads. */
  readonly used: readonly Keys[];
}

type Keys = readonly string[];

/**
 * Adds the findings about the values files of one tree.
 *
 * @returns the values with an error, as `values.global`: what a template reads below them is missing for that reason
 */
export function checkValues(
  files: readonly SourceText[],
  { base, used }: KnownValues,
  errors: OutriggerError[],
  warnings: TreeFinding[],
): readonly string[] {
  const faulty: string[] = [];
  for (const file of files) checkMapping(file, file.value, base, []);
  return faulty;

  function checkMapping(file: SourceText, value: JsonValue, under: JsonValue | undefined, steps: Keys): void {
    for (const [key, entry] of Object.entries(objectOf(value))) {
      const path = [...steps, key];
      const below = valueAt(under, [key]);
      if (entry === undefined) continue;
      if (isUnknown(path, under, below)) reportUnknown(file, path, under);
      else if (entry === null) {
        const why = entryOf(REQUIRED_VALUES, path.join("."));
        if (base === undefined || why === undefined) continue;
        fail(file, path, `must not be null: ${why}`);
      } else if (checkType(file, entry, below, path)) checkMapping(file, entry, below, path);
    }
  }

  /** A key is known if the layer below has it, if a template reads it or below it, or if it is in a map of any keys. */
  function isUnknown(path: Keys, parent: JsonValue | undefined, below: JsonValue | undefined): boolean {
    if (base === undefined || below !== undefined) return false;
    if (path.length > 1 && Object.keys(objectOf(parent)).length === 0) return false;
    return !used.some((names) => {
      const length = Math.min(names.length, path.length);
      return names.slice(0, length).every((name, index) => name === path[index]);
    });
  }

  function reportUnknown(file: SourceText, path: Keys, parent: JsonValue | undefined): void {
    const names = [...Object.keys(objectOf(parent)), ...used.flatMap((each) => each[path.length - 1] ?? [])];
    const near = suggestName(String(path.at(-1)), new Set(names));
    warn(file, path, "key", `is not known: no template reads it${near}`);
  }

  /** Whether the entries of a mapping are worth checking. */
  function checkType(file: SourceText, value: JsonValue, below: JsonValue | undefined, path: Keys): boolean {
    const problem = valueProblem(path, value, base !== undefined);
    if (problem !== undefined) {
      fail(file, path, problem);
      return false;
    }
    if (below === undefined || below === null) return true;
    const [type, expected] = [typeOf(value), typeOf(below)];
    if (type === expected) return true;
    const isCollection = (one: string) => one === "a mapping" || one === "a list";
    if (isCollection(expected) || isCollection(type)) {
      fail(file, path, `must be ${expected}, as in the layer below: it is ${type}`);
    } else {
      const fix = expected === "text" ? "put it in quotes" : `write ${expected} without quotes`;
      warn(file, path, "value", `is ${type}, and the layer below has ${expected}: ${fix}`);
    }
    return false;
  }

  function fail(file: SourceText, path: Keys, reason: string): void {
    const name = `values.${path.join(".")}`;
    faulty.push(name);
    errors.push(fieldError("values-invalid", file, path, `Cannot use ${file.path}: ${name} ${reason}`));
  }

  function warn({ path, text }: SourceText, steps: Keys, part: "key" | "value", reason: string): void {
    const message = `values.${steps.join(".")} ${reason}`;
    warnings.push({ severity: "warning", path, ...locateYaml(text, steps, part), message });
  }
}

function typeOf(value: JsonValue): string {
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return "a mapping";
  return typeof value === "string" ? "text" : `a ${typeof value}`;
}
