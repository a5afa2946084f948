// Who gets a template by default: the entries of `defaultTemplates` that name it, as values. Knows no text: actions/audience.ts writes it.

import { isObject, type JsonObject, type JsonValue, objectOf, objectsOf } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import { parseYaml } from "@outrigger/yaml";

/** A label and one of the values that it may have; without a label, a namespace. */
export interface Condition {
  readonly label?: string;
  readonly value: string;
}

/** The pods that get a template: all, or those that fit one of the groups; without a group, only pods that name it. */
export interface Audience {
  readonly isEvery: boolean;
  readonly groups: readonly (readonly Condition[])[];
}

/** The list of the upper layer that has one. Without a mesh, the upper one alone counts. @param layers the upper one first */
export function defaultsOf(layers: readonly SourceTree[]) {
  for (const { config } of layers) {
    const { defaultTemplates: entries, mesh } = objectOf(config === undefined ? undefined : attempt(config));
    const isWithoutMesh = mesh === "none";
    if (Array.isArray(entries)) return { entries, isWithoutMesh };
    if (isWithoutMesh) return { entries: [], isWithoutMesh };
  }
  return { entries: [], isWithoutMesh: false };
}

/** A configuration that cannot be read names none. */
export function attempt(config: string): JsonValue | undefined {
  try {
    return parseYaml(config, "config");
  } catch {
    return undefined;
  }
}

export function audienceOf(entries: readonly JsonValue[], name: string): Audience {
  const named = entries.filter((entry) => nameOf(entry) === name);
  return { isEvery: named.some(isForEvery), groups: objectsOf(named).filter(hasMatch).map(conditionsOf) };
}

/** The entries with the template for every pod. */
export function forEvery(entries: readonly JsonValue[], name: string): readonly JsonValue[] {
  const found = entries.find((entry) => nameOf(entry) === name);
  const { match: _, ...rest } = objectOf(found);
  // What else an entry says, such as what it comes before, stays.
  return replacing(entries, name, Object.keys(rest).length > 1 ? rest : name);
}

/** The entries without the template. */
export function forNone(entries: readonly JsonValue[], name: string): readonly JsonValue[] {
  return entries.filter((entry) => nameOf(entry) !== name);
}

/** The entries with one more condition in a group; a group that is not there yet begins with it. What was for every pod is no more. */
export function withCondition(
  entries: readonly JsonValue[],
  name: string,
  group: number,
  condition: Condition,
): readonly JsonValue[] {
  const every = entries.find((entry) => nameOf(entry) === name && isForEvery(entry));
  const made = { ...(isObject(every) ? every : { name }), match: addTo({}, condition) };
  if (every !== undefined) return replacing(entries, name, made);
  const found = entryAt(entries, name, group);
  if (found === undefined) return [...entries, made];
  return entries.map((entry) =>
    entry === found ? { ...found, match: addTo(objectOf(found["match"]), condition) } : entry,
  );
}

/** The entries without a condition of a group. A group without conditions is left out, as it would be for every pod. */
export function withoutCondition(
  entries: readonly JsonValue[],
  name: string,
  group: number,
  condition: Condition,
): readonly JsonValue[] {
  const found = entryAt(entries, name, group);
  if (found === undefined) return entries;
  const match = removeFrom(objectOf(found["match"]), condition);
  return entries.flatMap((entry) => {
    if (entry !== found) return [entry];
    return Object.keys(match).length === 0 ? [] : [{ ...found, match }];
  });
}

/** What a person writes: `logs=yes`, `logs: "yes"`, or a namespace. */
export function readCondition(text: string): Condition {
  const [, label, value = ""] = /^([^=:]+?)\s*[=:]\s*(.*)$/.exec(text.trim()) ?? [];
  return label === undefined ? { value: text.trim() } : { label, value: value.replace(/^(["'])(.*)\1$/, "$2") };
}

function nameOf(entry: JsonValue): JsonValue | undefined {
  return isObject(entry) ? entry["name"] : entry;
}

function hasMatch(entry: JsonObject): boolean {
  return entry["match"] !== undefined;
}

function isForEvery(entry: JsonValue): boolean {
  return !isObject(entry) || !hasMatch(entry);
}

function entryAt(entries: readonly JsonValue[], name: string, group: number): JsonObject | undefined {
  return objectsOf(entries).filter((entry) => nameOf(entry) === name && hasMatch(entry))[group];
}

/** The first entry of a name becomes another, and the others of the name go. */
function replacing(entries: readonly JsonValue[], name: string, made: JsonValue): readonly JsonValue[] {
  const at = entries.findIndex((entry) => nameOf(entry) === name);
  if (at === -1) return [...entries, made];
  return [...forNone(entries.slice(0, at), name), made, ...forNone(entries.slice(at + 1), name)];
}

function conditionsOf(entry: JsonObject): readonly Condition[] {
  const { podLabels, namespaces } = partsOf(objectOf(entry["match"]));
  return [
    ...Object.entries(podLabels).flatMap(([label, value]) =>
      valuesOf(value).map((one): Condition => ({ label, value: written(one) })),
    ),
    ...namespaces.map((value) => ({ value: written(value) })),
  ];
}

function addTo(match: JsonObject, { label, value }: Condition): JsonObject {
  const { podLabels, namespaces } = partsOf(match);
  if (label === undefined) return { ...match, namespaces: [...new Set([...namespaces, value])] };
  const values = [...new Set([...valuesOf(podLabels[label]), value])];
  return { ...match, podLabels: { ...podLabels, [label]: values.length === 1 ? value : values } };
}

function removeFrom(match: JsonObject, { label, value }: Condition): JsonObject {
  const { podLabels, namespaces } = partsOf(match);
  const { podLabels: _labels, namespaces: _namespaces, ...others } = match;
  const without = (values: readonly JsonValue[]) => values.filter((one) => written(one) !== value);
  const rest = label === undefined ? without(namespaces) : namespaces;
  const left = label === undefined ? podLabels : withValues(podLabels, label, without(valuesOf(podLabels[label])));
  return {
    ...others,
    ...(Object.keys(left).length > 0 && { podLabels: left }),
    ...(rest.length > 0 && { namespaces: [...rest] }),
  };
}

/** One value is written without a list. */
function withValues(labels: JsonObject, label: string, values: readonly JsonValue[]): JsonObject {
  const { [label]: _removed, ...others } = labels;
  if (values.length === 0) return others;
  return { ...labels, [label]: values.length === 1 ? (values[0] as JsonValue) : [...values] };
}

function partsOf(match: JsonObject) {
  return { podLabels: objectOf(match["podLabels"]), namespaces: valuesOf(match["namespaces"]) };
}

function valuesOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

/** A value that is no text is a mistake, which is shown as it is. */
function written(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
