// How an injection would differ from the one that a running pod carries, by kind: what is the same for many pods is said once.

import { isObject, type JsonObject, type JsonValue, jsonEqual, listOf, objectOf, objectsOf } from "@outrigger/base";
import { readStatus } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { keepStoredForm } from "@outrigger/pod";

/** One field in which two injections of a pod differ. */
export interface InjectedDifference {
  /** `initContainers[istio-proxy].env[GOMAXPROCS]`. */
  readonly field: string;
  readonly kind: "only today" | "only imported" | "differs";
  readonly today?: JsonValue;
  readonly imported?: JsonValue;
}

export interface ComparedPods {
  /** As its author wrote it: what both injections started from. */
  readonly author: Pod;
  readonly imported: Pod;
  readonly running: Pod;
}

/**
 * Compares what two injections added: containers and volumes that the author's pod does not have, or that one of the two
 * changed, labels and annotations. What an API server fills in is no difference.
 */
export function compareInjected({ author, imported, running }: ComparedPods): readonly InjectedDifference[] {
  const ours: JsonObject = keepStoredForm(imported, running);
  const theirs: JsonObject = running;
  const own: JsonObject = author;
  const injected = new Set([running, imported].flatMap(recordedContainers));
  const found: InjectedDifference[] = [];
  for (const list of ["initContainers", "containers"]) {
    compareList(list, { ours, theirs }, (name) => injected.has(name), found);
  }
  const authored = namesOf(itemsAt(own, "volumes"));
  compareList("volumes", { ours, theirs }, (name) => !authored.has(name) && !ADDED_BY_OTHERS.test(name), found);
  for (const part of ["labels", "annotations"]) {
    const [a, b, before] = [ours, theirs, own].map((pod) => mapAt(pod, part)) as [JsonObject, JsonObject, JsonObject];
    const isOf = (key: string) => !Object.hasOwn(before, key) && (Object.hasOwn(a, key) || INJECTORS.test(key));
    for (const key of keysOf(a, b)) {
      if (isOf(key) && !RECORDS.has(key)) compareValues(`${part}[${key}]`, a[key], b[key], found);
    }
  }
  return found;
}

function recordedContainers(pod: Pod): readonly string[] {
  const status = readStatus(pod);
  return [...(status?.initContainers ?? []), ...(status?.containers ?? [])];
}

/** What Kubernetes itself mounts into every pod. */
const ADDED_BY_OTHERS = /^kube-api-access-|^aws-iam-token$/;
const ADDED_MOUNTS = /^\/var\/run\/secrets\/(kubernetes\.io|eks\.amazonaws\.com)\//;
const INJECTORS = /istio\.io\/|^prometheus[._]io\/|^kubectl\.kubernetes\.io\/default-/;
/** Each injector keeps its own record. */
const RECORDS: ReadonlySet<string> = new Set(["sidecar.istio.io/status", "proxy.istio.io/overrides"]);
/** List → what its items are known by. */
const KEYS: Readonly<Record<string, string>> = { env: "name", volumeMounts: "mountPath", ports: "containerPort" };

function compareList(
  list: string,
  { ours, theirs }: { readonly ours: JsonObject; readonly theirs: JsonObject },
  isCompared: (name: string) => boolean,
  found: InjectedDifference[],
): void {
  const [a, b] = [byKey(itemsAt(ours, list), "name"), byKey(itemsAt(theirs, list), "name")];
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    if (isCompared(name)) compareValues(`${list}[${name}]`, a.get(name), b.get(name), found);
  }
}

function compareValues(
  field: string,
  imported: JsonValue | undefined,
  today: JsonValue | undefined,
  found: InjectedDifference[],
): void {
  const key = KEYS[/\.(\w+)$/.exec(field)?.[1] ?? ""];
  if (key !== undefined && isList(imported) && isList(today)) {
    const [a, b] = [byKey(imported ?? [], key), byKey(today ?? [], key)];
    for (const name of new Set([...a.keys(), ...b.keys()])) {
      if (!ADDED_MOUNTS.test(`${name}/`)) compareValues(`${field}[${name}]`, a.get(name), b.get(name), found);
    }
    return;
  }
  if (imported === undefined && today === undefined) return;
  if (imported === undefined) return void found.push({ field, kind: "only today", today: today as JsonValue });
  if (today === undefined) return void found.push({ field, kind: "only imported", imported });
  if (isSame(imported, today)) return;
  if (isObject(imported) && isObject(today)) {
    for (const key of keysOf(imported, today)) compareValues(`${field}.${key}`, imported[key], today[key], found);
    return;
  }
  found.push({ field, kind: "differs", imported, today });
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] | undefined {
  return value === undefined || Array.isArray(value);
}

/** Environment values and annotations hold JSON, whose order and blanks say nothing. */
function isSame(a: JsonValue, b: JsonValue): boolean {
  if (jsonEqual(a, b)) return true;
  if (typeof a !== "string" || typeof b !== "string" || !/^\s*[[{]/.test(a)) return false;
  try {
    return jsonEqual(JSON.parse(a), JSON.parse(b));
  } catch {
    return false;
  }
}

function byKey(items: readonly JsonValue[], key: string): ReadonlyMap<string, JsonValue> {
  return new Map(objectsOf(items).map((item) => [String(item[key]), item]));
}

function namesOf(items: readonly JsonValue[]): ReadonlySet<string> {
  return new Set(objectsOf(items).map(({ name }) => String(name)));
}

function itemsAt(pod: JsonObject, list: string): readonly JsonValue[] {
  return listOf(objectOf(pod["spec"])[list]);
}

function mapAt(pod: JsonObject, part: string): JsonObject {
  return objectOf(objectOf(pod["metadata"])[part]);
}

function keysOf(a: JsonObject, b: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}
