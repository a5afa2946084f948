// Marks: an overlay or a pod with a mark in place of each scalar. The pipeline's own code moves and merges marks as it moves
// and merges values, so the mark that a field ends up with says who wrote the field. Merge keys and strategic merge
// directives decide how things merge: they keep their values, and have their mark in an entry next to them.

import { type FieldPath, isDirective, isObject, type JsonObject, type JsonValue, listOf } from "@outrigger/base";
import { POD_TYPE, type TypeSchema } from "@outrigger/pod";
import type { StepName } from "../steps/injection-steps.ts";

/**
 * The writer of a node: the pod's author, a line of a template or partial (path in the tree, 1-based position), or a
 * step.
 */
export type Origin =
  | { readonly kind: "pod" }
  | { readonly kind: "template"; readonly path: string; readonly line: number; readonly column: number }
  | { readonly kind: "step"; readonly step: StepName };

/** The start of a mark, and of the key of an entry that holds one. No pod can contain it. */
const MARK = "\u0000";

export type Marks = ReturnType<typeof createMarks>;

/**
 * Creates the marks of one injection, and reads the origins behind them. A value without a mark has the origin
 * undefined.
 */
export function createMarks() {
  const origins: Origin[] = [];
  const read = (value: JsonValue | undefined): Origin | undefined =>
    typeof value === "string" && value.startsWith(MARK) ? origins[Number(value.slice(MARK.length))] : undefined;
  return {
    add: (origin: Origin): string => MARK + (origins.push(origin) - 1),
    read,
    /** Reads the origin of an object's entry: its own mark, or that of the entry next to it. */
    readEntry: (object: JsonObject, key: string) => read(object[key]) ?? read(object[MARK + key]),
    /** Reads the origin of an object that is an item of a list. */
    readItem: (item: JsonObject) => read(item[MARK]),
  };
}

/**
 * Returns the pod with marks.
 *
 * @param originOf the origin of a node; undefined leaves a scalar as it is
 */
export function markPod(
  pod: JsonObject,
  marks: Marks,
  originOf: (steps: FieldPath, part: "key" | "value") => Origin | undefined,
): JsonObject {
  return markObject(pod, POD_TYPE, []);

  function markObject(
    object: JsonObject,
    type: TypeSchema | undefined,
    steps: FieldPath,
    mergeKey?: string,
  ): JsonObject {
    const entries: [string, JsonValue][] = [];
    const item = typeof steps.at(-1) === "number" ? originOf(steps, "value") : undefined;
    if (item !== undefined) entries.push([MARK, marks.add(item)]);
    for (const [key, value] of Object.entries(object)) {
      if (value === undefined) continue;
      if (key === "$retainKeys" && Array.isArray(value)) {
        // The marks next to the entries that stay must stay with them.
        entries.push([key, [...value, MARK, ...value.map((name) => MARK + String(name))]]);
        continue;
      }
      if (isDirective(key) || value === null) {
        entries.push([key, value]);
        continue;
      }
      const at = [...steps, key];
      const origin = originOf(at, typeof value === "object" ? "key" : "value");
      const mark = origin && marks.add(origin);
      const field = type?.fields.get(key);
      if (typeof value === "object") {
        const merged = field?.isMerged === true ? (field.mergeKey ?? "") : undefined;
        entries.push([key, markNode(value, field?.type ?? type?.element, at, merged)]);
      } else entries.push([key, key === mergeKey ? value : (mark ?? value)]);
      if (mark !== undefined && (typeof value === "object" || key === mergeKey)) entries.push([MARK + key, mark]);
    }
    return Object.fromEntries(entries);
  }

  /** @param mergeKey of a merged list: empty if its items are scalars, which are their own keys */
  function markNode(value: JsonValue, type: TypeSchema | undefined, steps: FieldPath, mergeKey?: string): JsonValue {
    if (isObject(value)) return markObject(value, type, steps);
    return listOf(value).map((item, index) => {
      const at = [...steps, index];
      if (isObject(item)) return markObject(item, type?.element, at, mergeKey);
      if (Array.isArray(item)) return markNode(item, type?.element, at);
      if (item === null || mergeKey !== undefined) return item;
      const origin = originOf(at, "value");
      return origin === undefined ? item : marks.add(origin);
    });
  }
}
