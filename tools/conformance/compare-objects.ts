// When two Kubernetes objects are the same for the conformance cases. The rules, and nothing beyond them:
//
// 1. The order of an object's keys is ignored; the order of a list counts.
// 2. Fields that are null, `status`, `metadata.managedFields` and `metadata.creationTimestamp: null` are ignored.
// 3. An empty `resources: {}` of a container, and empty `labels` and `annotations`, equal their absence.
// 4. Quantities (resources.requests and limits, sizeLimit, divisor) compare as numbers; an absent divisor is "0".
// 5. Environment values, annotations and entries of command and args that hold a JSON object or list on both sides compare
//    as JSON, where null, [] and absence are the same.
// 6. `metadata.namespace` counts only where the input pod had one.
// 7. A volume without a source is an `emptyDir: {}`: the API server's own default.
// 8. In fields that Kubernetes' own types leave out when zero (seconds and thresholds of probes, the value of an environment
//    variable, readOnly, stdin, tty, hostNetwork, hostPID, hostIPC), the zero value equals absence.
import { isObject, type JsonObject } from "@outrigger/base";

/** A field that differs. An item of a list is named by its key where all of them have one: `.spec.containers[web].image`. */
export interface Difference {
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
  readonly line: string;
}

/** One line for each difference, with the path of the field. `input` is the object before injection. */
export type Compare = (expected: unknown, actual: unknown, input?: unknown) => readonly string[];

export const compareObjects: Compare = (expected, actual, input) =>
  differencesOf(expected, actual, input).map(({ line }) => line);

/** The fields that differ. `input` is the object before injection. */
export function differencesOf(expected: unknown, actual: unknown, input?: unknown): readonly Difference[] {
  const keepNamespace = input === undefined || hasNamespace(input);
  return walk(withoutIgnored(expected, keepNamespace), withoutIgnored(actual, keepNamespace), "");
}

function hasNamespace(input: unknown): boolean {
  if (!isObject(input) || !isObject(input["metadata"])) return false;
  return Boolean(input["metadata"]["namespace"]);
}

/** Leaves out what rules 2 and 6 ignore. A field that is undefined counts as absent. */
function withoutIgnored(object: unknown, keepNamespace: boolean): unknown {
  if (!isObject(object)) return object;
  const { metadata } = object;
  if (!isObject(metadata)) return { ...object, status: undefined };
  const kept = { ...metadata, managedFields: undefined };
  return { ...object, status: undefined, metadata: keepNamespace ? kept : { ...kept, namespace: undefined } };
}

function walk(expected: unknown, actual: unknown, path: string): readonly Difference[] {
  const a = normalized(expected, path);
  const b = normalized(actual, path);
  if (a === b) return [];
  if (a !== undefined && b !== undefined) {
    if (QUANTITY.test(path) && quantityOf(a) === quantityOf(b)) return [];
    const [jsonA, jsonB] = TEXT.test(path) ? [parsed(a), parsed(b)] : [];
    if (jsonA !== undefined && jsonB !== undefined) return walk(pruned(jsonA), pruned(jsonB), `${path} $`);
    if (Array.isArray(a) && Array.isArray(b)) return walkLists(a, b, path);
    if (isObject(a) && isObject(b)) return walkObjects(a, b, path);
    return [differs(path, a, b)];
  }
  return walkMissing(a, b, path);
}

/** One of the two is missing: it is named by its parts if nothing but them makes a difference. */
function walkMissing(a: unknown, b: unknown, path: string): readonly Difference[] {
  const whole = a ?? b;
  if (isObject(whole) && EMPTY_IS_ABSENT.test(path)) return walkObjects(a ?? {}, b ?? {}, path);
  if (!Array.isArray(whole) || whole.length === 0 || keyOfItems(whole, []) === undefined) return [differs(path, a, b)];
  return a === undefined ? walkLists([], whole, path) : walkLists(whole, [], path);
}

function differs(path: string, expected: unknown, actual: unknown, what = inWords(expected, actual)): Difference {
  return { path, expected, actual, line: `${path}: ${what}` };
}

function inWords(expected: unknown, actual: unknown): string {
  return `${short(expected)} expected, ${short(actual)} found`;
}

function walkObjects(a: object, b: object, path: string): readonly Difference[] {
  const [left, right] = [a, b] as [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>];
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].flatMap((key) => walk(left[key], right[key], `${path}.${key}`));
}

/** Compares items of the same key; an item that only one list has is compared with the one at its place, if that is one too. */
function walkLists(a: readonly unknown[], b: readonly unknown[], path: string): readonly Difference[] {
  const key = keyOfItems(a, b);
  if (key === undefined) return walkPlaces(a, b, path);
  const nameOf = (item: unknown) => String((item as JsonObject)[key]);
  const [namesA, namesB] = [a.map(nameOf), b.map(nameOf)];
  const [onlyA, onlyB] = [
    a.map((_, at) => !namesB.includes(namesA[at] ?? "")),
    b.map((_, at) => !namesA.includes(namesB[at] ?? "")),
  ];
  const isRenamed = (at: number) => onlyA[at] === true && onlyB[at] === true;
  const found = a.flatMap((item, at) => {
    const other = isRenamed(at) ? at : namesB.indexOf(namesA[at] ?? "");
    return walk(item, b[other], `${path}[${namesA[at]}]`);
  });
  const added = b.flatMap((item, at) =>
    onlyB[at] && !isRenamed(at) ? walk(undefined, item, `${path}[${namesB[at]}]`) : [],
  );
  const order = namesA.filter((name) => namesB.includes(name)).join();
  const isOrdered = order === namesB.filter((name) => namesA.includes(name)).join();
  const moved = isOrdered ? [] : [differs(`${path} order`, namesA, namesB)];
  return [...found, ...added, ...moved];
}

function walkPlaces(a: readonly unknown[], b: readonly unknown[], path: string): readonly Difference[] {
  const common = a.slice(0, b.length).flatMap((item, at) => walk(item, b[at], `${path}[${at}]`));
  if (a.length === b.length) return common;
  return [
    differs(path, a, b, `${a.length} items expected, ${b.length} found: ${namesOf(a)} / ${namesOf(b)}`),
    ...common,
  ];
}

/** The field by which the items of two lists are told apart: a text that no two items of one list share. */
function keyOfItems(a: readonly unknown[], b: readonly unknown[]): string | undefined {
  return ["name", "mountPath"].find((key) =>
    [a, b].every((list) => {
      const keys = list.map((item) => (isObject(item) ? item[key] : undefined));
      return keys.every((text) => typeof text === "string") && new Set(keys).size === keys.length;
    }),
  );
}

const QUANTITY = /\.(requests|limits)\.[^.]+$|\.sizeLimit$|\.divisor$/;
const TEXT = /\.env\[[^\]]*\]\.value$|\.annotations\.|\.(args|command)\[\d+\]$/;
const VOLUME = /\.volumes\[[^\]]*\]$/;
const EMPTY_IS_ABSENT = /\.resources$|\.labels$|\.annotations$/;
const ZERO_IS_ABSENT =
  /(\.(initialDelaySeconds|timeoutSeconds|periodSeconds|successThreshold|failureThreshold|readOnly|stdin|tty|hostNetwork|hostPID|hostIPC)|\.env\[[^\]]*\]\.value)$/;

/** A value as it counts at its path: rules 2, 3, 4 (the divisor), 7 and 8. */
function normalized(value: unknown, path: string): unknown {
  const given = VOLUME.test(path) ? withSource(value) : value;
  if (given === null || (EMPTY_IS_ABSENT.test(path) && isObject(given) && Object.keys(given).length === 0)) {
    return undefined;
  }
  if (ZERO_IS_ABSENT.test(path) && (given === 0 || given === "" || given === false)) return undefined;
  return path.endsWith(".divisor") ? (given ?? "0") : given;
}

function withSource(volume: unknown): unknown {
  if (!isObject(volume)) return volume;
  const hasSource = Object.entries(volume).some(([key, value]) => key !== "name" && value !== null);
  return hasSource ? volume : { ...volume, emptyDir: {} };
}

/** The JSON object or list in a text; undefined where it has none. */
export function parsed(text: unknown): unknown {
  if (typeof text !== "string" || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Leaves out what is the same as absence, by rule 5. */
function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned);
  if (!isObject(value)) return value;
  const kept = Object.entries(value)
    .map(([key, inner]) => [key, pruned(inner)] as const)
    .filter(([, inner]) => inner !== null && inner !== undefined && !(Array.isArray(inner) && inner.length === 0));
  return Object.fromEntries(kept);
}

const DECIMAL: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY: Readonly<Record<string, number>> = { Ki: 1, Mi: 2, Gi: 3, Ti: 4, Pi: 5, Ei: 6 };

/**
 * Reads a quantity. It is written apart from lib/pod/quantity/quantity.ts, so that the product does not check itself.
 */
function quantityOf(value: unknown): number | string {
  const text = String(value);
  const match = /^([+-]?[0-9.]+)(?:([eE][+-]?[0-9]+)|([KMGTPE]i)|([numkMGTPE]?))$/.exec(text);
  if (match === null) return text;
  const [, digits, exponent, binary, decimal = ""] = match;
  const number = Number(digits);
  if (exponent !== undefined) return number * Number(`1${exponent}`);
  if (binary !== undefined) return number * 1024 ** (BINARY[binary] ?? Number.NaN);
  return Number((number * 10 ** (DECIMAL[decimal] ?? Number.NaN)).toPrecision(12));
}

function namesOf(list: readonly unknown[]): string {
  return list
    .map((item) => (isObject(item) ? (item["name"] ?? "?") : item))
    .join(",")
    .slice(0, 200);
}

function short(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, 160);
}
