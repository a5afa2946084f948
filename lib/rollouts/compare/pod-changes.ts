// In which fields two pods differ, named as people look for them: by the names of containers, variables and volumes. Pure.
import { isObject, type JsonObject, type JsonValue, jsonEqual, listOf, objectOf } from "@outrigger/base";
import { annotationKeys } from "@outrigger/injector";

/** One field in which a running pod differs from what a new one would be. */
export interface PodChange {
  /** `initContainers[istio-proxy].image`; of a list whose items are the same in another order, with ` (order)` after it. */
  readonly field: string;
  /** What the pod has; left out where it has nothing there. */
  readonly running?: JsonValue;
  /** What a new pod would have; left out where it would have nothing there. */
  readonly now?: JsonValue;
}

/**
 * The fields of metadata and spec that differ. The record of the injection itself does not count.
 *
 * @example
 * ```ts
 * podChanges({ spec: { containers: [{ name: "a", image: "a:1" }] } }, { spec: { containers: [{ name: "a", image: "a:2" }] } }) // => [{ field: "containers[a].image", running: "a:1", now: "a:2" }]
 * ```
 */
export function podChanges(running: JsonObject, now: JsonObject): readonly PodChange[] {
  const found: PodChange[] = [];
  compareObjects("", objectOf(running["spec"]), objectOf(now["spec"]), found);
  compareObjects("", withoutRecord(running), withoutRecord(now), found);
  return found;
}

/** Only an injection writes these, and they differ whenever anything else does. */
const RECORD: readonly string[] = [annotationKeys.status, annotationKeys.overrides];

function withoutRecord({ metadata }: JsonObject): JsonObject {
  const { annotations, managedFields: _, ...rest } = objectOf(metadata);
  const others = Object.entries(objectOf(annotations)).filter(([key]) => !RECORD.includes(key));
  return { ...rest, annotations: Object.fromEntries(others) };
}

function compareObjects(path: string, running: JsonObject, now: JsonObject, found: PodChange[]): void {
  for (const key of new Set([...Object.keys(running), ...Object.keys(now)])) {
    // Keys of labels and annotations have dots and slashes.
    const field = /[^\w-]/.test(key) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    compareValues(field, running[key], now[key], found);
  }
}

function compareValues(
  field: string,
  running: JsonValue | undefined,
  now: JsonValue | undefined,
  found: PodChange[],
): void {
  if (running === now || isSame(running, now)) return;
  if (isObject(running ?? {}) && isObject(now ?? {}) && !(isEmpty(running) && isEmpty(now))) {
    compareObjects(field, objectOf(running), objectOf(now), found);
    return;
  }
  const [before, after] = [itemsByKey(field, running), itemsByKey(field, now)];
  if (before === undefined || after === undefined) return void found.push(change(field, running, now));
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [one, other] = [before.get(key), after.get(key)];
    if (one === undefined || other === undefined) found.push(change(`${field}[${key}]`, one, other));
    else compareValues(`${field}[${key}]`, one, other, found);
  }
  const common = (keys: ReadonlyMap<string, JsonValue>, others: ReadonlyMap<string, JsonValue>) =>
    [...keys.keys()].filter((key) => others.has(key));
  const [order, wanted] = [common(before, after), common(after, before)];
  if (!jsonEqual(order, wanted)) found.push({ field: `${field} (order)`, running: order, now: wanted });
}

function change(field: string, running: JsonValue | undefined, now: JsonValue | undefined): PodChange {
  return { field, ...(running !== undefined && { running }), ...(now !== undefined && { now }) };
}

/** Environment values and annotations hold JSON, whose order and blanks say nothing. */
function isSame(running: JsonValue | undefined, now: JsonValue | undefined): boolean {
  if (running === undefined || now === undefined) return false;
  if (jsonEqual(running, now)) return true;
  if (typeof running !== "string" || typeof now !== "string" || !/^\s*[[{]/.test(running)) return false;
  try {
    return jsonEqual(JSON.parse(running), JSON.parse(now));
  } catch {
    return false;
  }
}

/** An object without a field is a change of its own where the other pod has none. */
function isEmpty(value: JsonValue | undefined): boolean {
  return Object.keys(objectOf(value)).length === 0;
}

/** List → what its items are known by. */
const KEYS: Readonly<Record<string, (item: JsonObject) => JsonValue | undefined>> = {
  volumeMounts: ({ mountPath }) => mountPath,
  volumeDevices: ({ devicePath }) => devicePath,
  ports: ({ containerPort, protocol }) =>
    containerPort === undefined ? undefined : `${containerPort}/${protocol ?? "TCP"}`,
  hostAliases: ({ ip }) => ip,
  tolerations: (toleration) => JSON.stringify(Object.entries(toleration).sort()),
  sources: (source) => Object.keys(source).sort().join(","),
};

/** Undefined for what is no list of objects, and where a key is missing or there twice. */
function itemsByKey(field: string, value: JsonValue | undefined): ReadonlyMap<string, JsonValue> | undefined {
  if (value === undefined) return new Map();
  if (!Array.isArray(value) || !value.every(isObject)) return undefined;
  const name = field.slice(field.lastIndexOf(".") + 1);
  const keyOf = Object.hasOwn(KEYS, name) ? KEYS[name] : ({ name: own }: JsonObject) => own;
  const items = new Map<string, JsonValue>();
  for (const item of listOf(value as JsonValue)) {
    const key = isObject(item) ? keyOf?.(item) : undefined;
    if (key === undefined || items.has(String(key))) return undefined;
    items.set(String(key), item);
  }
  return items;
}
