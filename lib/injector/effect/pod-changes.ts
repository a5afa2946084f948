// In which fields two pods differ, named as people look for them: by the names of containers, variables and volumes. Pure.
import { type JsonObject, type JsonValue, metadataKeys, objectOf } from "@outrigger/base";
import { diffObjects, formatDifferencePath } from "@outrigger/pod";

/** One field in which a running pod differs from what a new one would be. */
export interface PodChange {
  /** `initContainers[istio-proxy].image`; of a list whose items are the same in another order, with ` (order)` after it. */
  readonly field: string;
  /** The value in the running pod. It is left out if the pod has nothing there. */
  readonly running?: JsonValue;
  /** The value in a new pod. It is left out if it would have nothing there. */
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
  const found = diffObjects(comparable(running), comparable(now), { keysOf, isDeep: true, readsJson: true });
  return found.map(({ kind, path, before, after }) => ({
    field: formatDifferencePath(path.slice(1)) + (kind === "reordered" ? " (order)" : ""),
    ...(before !== undefined && { running: before }),
    ...(after !== undefined && { now: after }),
  }));
}

/** Annotations that only an injection writes, and that differ whenever anything else does. */
const RECORD: readonly string[] = [
  ...[metadataKeys.status, metadataKeys.overrides, metadataKeys.ownStatus, metadataKeys.ownOverrides],
];

function comparable({ metadata, spec }: JsonObject): JsonObject {
  const { annotations, managedFields: _, ...rest } = objectOf(metadata);
  const others = Object.entries(objectOf(annotations)).filter(([key]) => !RECORD.includes(key));
  return { spec: objectOf(spec), metadata: { ...rest, annotations: Object.fromEntries(others) } };
}

/** Tolerations are known by all of their fields, a volume's sources by their types, and other items by their names. */
function keysOf(items: readonly JsonObject[], field: string): readonly string[] | undefined {
  if (field === "tolerations") return items.map((toleration) => JSON.stringify(Object.entries(toleration).sort()));
  if (field === "sources") return items.map((source) => Object.keys(source).sort().join(","));
  return items.every(({ name }) => name !== undefined) ? items.map(({ name }) => String(name)) : undefined;
}
