// A pod that is too large for a parameter, without parts that no condition of a template needs. Pure.
import { type FieldPath, isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";

/**
 * Leaves out labels, annotations and items of lists, the largest first, until the pod is small. Those without which it is not as good stay,
 * so it may still be too large.
 */
export function shortenedPod(pod: Pod, isSmall: (pod: Pod) => boolean, isAsGood: (pod: Pod) => boolean): Pod {
  let short = pod;
  let left: ReadonlySet<string> = new Set();
  for (const part of partsOf(pod)) {
    if (isSmall(short)) break;
    const more = new Set([...left, part]);
    const next = without(pod as JsonObject, more, []) as Pod;
    if (isAsGood(next)) [short, left] = [next, more];
  }
  return short;
}

/** The paths of the parts that may be left out, as text, the largest part first. */
function partsOf({ metadata = {}, spec }: Pod): readonly string[] {
  const found: (readonly [size: number, path: string])[] = [];
  const add = (path: FieldPath, value: JsonValue) => void found.push([JSON.stringify(value).length, keyOf(path)]);
  for (const field of ["labels", "annotations"] as const) {
    for (const [key, value] of Object.entries(metadata[field] ?? {})) add(["metadata", field, key], value);
  }
  visit((spec ?? {}) as JsonObject, ["spec"]);
  return found.toSorted(([a], [b]) => b - a).map(([, path]) => path);

  function visit(value: JsonValue, path: FieldPath): void {
    for (const [step, inner] of entriesOf(value)) {
      if (typeof step === "number") add([...path, step], inner);
      visit(inner, [...path, step]);
    }
  }
}

/** The value without the parts, and without lists and maps that have nothing else. A pod has a list of containers all the same. */
function without(value: JsonValue, left: ReadonlySet<string>, path: FieldPath): JsonValue {
  const kept = entriesOf(value).flatMap(([step, inner]): readonly (readonly [string | number, JsonValue])[] => {
    if (left.has(keyOf([...path, step]))) return [];
    const made = without(inner, left, [...path, step]);
    const isGone = entriesOf(inner).length > 0 && entriesOf(made).length === 0 && step !== "containers";
    return isGone ? [] : [[step, made]];
  });
  if (Array.isArray(value)) return kept.map(([, item]) => item);
  return isObject(value) ? Object.fromEntries(kept) : value;
}

function entriesOf(value: JsonValue): readonly (readonly [string | number, JsonValue])[] {
  if (Array.isArray(value)) return [...value.entries()];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => (inner === undefined ? [] : [[key, inner] as const]));
}

function keyOf(path: FieldPath): string {
  return JSON.stringify(path);
}
