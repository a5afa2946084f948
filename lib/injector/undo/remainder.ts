// What undoing an injection cannot compute: the difference between what undoing restores and what the author wrote, as notes of the
// record. With them, undoing is exact whatever a template overwrote.

import { isObject, type JsonObject, type JsonValue, jsonEqual, metadataKeys, parseJson } from "@outrigger/base";
import { checkPod, type Pod } from "@outrigger/pod";
import { annotationError } from "../decide/validate-annotations.ts";
import { withAt } from "../pod-edit.ts";

const NOTE = /^restore\/([^=#]*)(?:#(\d{1,4}))?(?:=(.*))?$/s;

type Names = readonly string[];

/**
 * Returns the notes that make the restored pod its author's: `restore/<path>=<JSON>` for a value of the author's, and
 * `restore/<path>` for a field that the author did not write. Items of a list are addressed by name, because others may add
 * items; `#<index>` is the place of one that is missing.
 *
 * @example
 * ```ts
 * remainderNotes({ metadata: { labels: { a: "1" } } }, { metadata: { labels: { a: "" } } }) // => ['restore/metadata/labels/a=""']
 * ```
 */
export function remainderNotes(restored: Pod, author: Pod): readonly string[] {
  const notes: string[] = [];
  for (const part of ["metadata", "spec"] as const) {
    compare(restored[part] ?? {}, author[part] ?? {}, [part], notes);
  }
  return notes;
}

function compare(restored: unknown, author: unknown, path: Names, notes: string[]): void {
  const isMap = path.length === 2 && (path[1] === "labels" || path[1] === "annotations");
  const [before, after] = isMap ? [restored ?? {}, author ?? {}] : [restored ?? null, author ?? null];
  // Nearly all of nearly every pod comes back as the same object: nothing of that is walked.
  if (before === after) return;
  if (isObject(before) && isObject(after)) {
    const keys: string[] = [];
    for (const key in before) if (before[key] !== own(after, key)) keys.push(key);
    for (const key in after) if (!Object.hasOwn(before, key)) keys.push(key);
    for (const key of keys.sort()) compare(own(before, key), own(after, key), [...path, key], notes);
    return;
  }
  const [present, wanted] = [itemsByName(before), itemsByName(after)];
  if (present !== undefined && wanted !== undefined) {
    for (const name of present.keys()) if (!wanted.has(name)) notes.push(noteOf([...path, name]));
    for (const [at, [name, item]] of [...wanted].entries()) {
      if (present.has(name)) compare(present.get(name), item, [...path, name], notes);
      else notes.push(noteOf([...path, name], item, at));
    }
    return;
  }
  if (!jsonEqual(before, after)) notes.push(noteOf(path, after ?? undefined));
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The items of a list by their names; undefined for what is no list of items with a name each. */
export function itemsByName(value: unknown): ReadonlyMap<string, JsonObject> | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const items = new Map<string, JsonObject>();
  for (const item of value) {
    const name = isObject(item) ? item["name"] : undefined;
    if (typeof name !== "string" || items.has(name)) return undefined;
    items.set(name, item);
  }
  return items;
}

/** The note that restores a value at a path of names, or takes it away. */
export function noteOf(path: Names, value?: unknown, at?: number): string {
  const place = at === undefined ? "" : `#${at}`;
  return `restore/${path.map(escaped).join("/")}${place}${value === undefined ? "" : `=${JSON.stringify(value)}`}`;
}

const ESCAPED = ["~", "/", "=", "#"];

function escaped(name: string): string {
  if (!/[~/=#]/.test(name)) return name;
  return name.replace(/[~/=#]/g, (character) => `~${ESCAPED.indexOf(character)}`);
}

function unescaped(name: string): string {
  return name.replace(/~([0-3])/g, (_, place) => ESCAPED[Number(place)] as string);
}

/**
 * Returns the pod with what the notes restore. A note about something that the pod no longer has restores nothing.
 *
 * @param name of the annotation that has the notes
 * @throws OutriggerError `annotation-invalid` for notes that no injection writes: they make no pod
 */
export function withRemainder(pod: Pod, notes: readonly string[], name: string = metadataKeys.status): Pod {
  let restored = pod as JsonObject;
  for (const note of notes) {
    const [, path, at, text] = NOTE.exec(note) ?? [];
    if (path === undefined || !/^(?:metadata|spec)\//.test(path)) continue;
    const value = text === undefined ? undefined : (parseJson(text) as JsonValue | undefined);
    restored = withRestored(restored, path.split("/").map(unescaped), value, at);
  }
  if (restored === pod || checkPod(restored, pod).length === 0) return restored as Pod;
  const message = `Cannot undo the injection that annotation ${name} records: its notes make no pod; remove it, injection writes it`;
  throw annotationError(name, message);
}

function withRestored(pod: JsonObject, names: Names, value: JsonValue | undefined, at: string | undefined): JsonObject {
  const steps: (string | number)[] = [];
  let parent: JsonValue | undefined = pod;
  for (const [depth, name] of names.entries()) {
    const isLast = depth === names.length - 1;
    if (Array.isArray(parent)) {
      const index: number = parent.findIndex((item) => isObject(item) && item["name"] === name);
      if (index < 0) {
        if (!isLast || at === undefined || !isObject(value)) return pod;
        return withAt(pod, steps, parent.toSpliced(Number(at), 0, value)) as JsonObject;
      }
      steps.push(index);
      parent = parent[index];
    } else if (isObject(parent)) {
      steps.push(name);
      const isMap = depth === 1 && (name === "labels" || name === "annotations");
      parent = own(parent, name) ?? (isMap ? {} : undefined);
    } else return pod;
  }
  return withAt(pod, steps, value) as JsonObject;
}
