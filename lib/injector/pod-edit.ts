// Small edits of a pod. The result shares everything that does not change with the pod that was passed in.

import {
  type FieldPath,
  type JsonObject,
  type JsonValue,
  listOf,
  lookup,
  objectOf,
  valueAt,
  withoutEntries,
} from "@outrigger/base";
import type { Container, ObjectMeta, Pod, PodSpec } from "@outrigger/pod";
import { containerNames } from "./data-plane.ts";

export type ContainerList = "containers" | "initContainers";

export function findContainer(containers: readonly Container[] | undefined, name: string): Container | undefined {
  return containers?.find((container) => container.name === name);
}

/** Containers or volumes by name: the first of a name counts, as for `findContainer`. */
export function firstByName<T extends { readonly name: string }>(
  list: readonly T[] | undefined,
): Pick<ReadonlyMap<string, T>, "get" | "has"> {
  return lookup(listOf(list), ({ name }) => name);
}

/** The container of that name, from the containers or, if it is not there, from the init containers. */
export function findContainerInPod(pod: Pod, name: string): Container | undefined {
  return findContainer(pod.spec?.containers, name) ?? findContainer(pod.spec?.initContainers, name);
}

/** Whether the pod has Istio's proxy, in that list or in any: a pod is prepared for the mesh only where it does. */
export function hasProxy(pod: Pod, list?: ContainerList): boolean {
  const { proxy } = containerNames;
  return (list === undefined ? findContainerInPod(pod, proxy) : findContainer(pod.spec?.[list], proxy)) !== undefined;
}

/** Replaces the first container of that name, containers before init containers, by the result of `edit`. */
export function editContainer(pod: Pod, name: string, edit: (container: Container) => Container): Pod {
  for (const list of ["containers", "initContainers"] as const) {
    const containers = pod.spec?.[list] ?? [];
    const index = containers.findIndex((container) => container.name === name);
    if (index < 0) continue;
    const container = containers[index] as Container;
    const edited = edit(container);
    return edited === container ? pod : withSpec(pod, { [list]: containers.with(index, edited) });
  }
  return pod;
}

/** Replaces one list of containers. If `edit` returns the same containers, the result is the pod itself. */
export function editContainers(
  pod: Pod,
  list: ContainerList,
  edit: (containers: readonly Container[]) => readonly Container[],
): Pod {
  const before = pod.spec?.[list];
  if (!before) return pod;
  const after = edit(before);
  const isSame = after.length === before.length && after.every((container, at) => container === before[at]);
  return isSame ? pod : withSpec(pod, { [list]: after });
}

export function withSpec(pod: Pod, changes: Partial<PodSpec>): Pod {
  return { ...pod, spec: { ...(pod.spec as PodSpec), ...changes } };
}

export function withMetadata(pod: Pod, changes: Partial<ObjectMeta>): Pod {
  return { ...pod, metadata: { ...pod.metadata, ...changes } };
}

export function withAnnotations(pod: Pod, annotations: Readonly<Record<string, string>>): Pod {
  return withMetadata(pod, { annotations: { ...pod.metadata?.annotations, ...annotations } });
}

/**
 * The map without those keys; the map itself if it has none of them.
 *
 * @example
 * ```ts
 * withoutKeys({ a: 1, b: 2 }, ["b", "c"]) // => { a: 1 }
 * ```
 */
export function withoutKeys<T>(map: Readonly<Record<string, T>>, keys: readonly string[]): Readonly<Record<string, T>> {
  if (!keys.some((key) => Object.hasOwn(map, key))) return map;
  return withoutEntries(map as JsonObject, keys) as Readonly<Record<string, T>>;
}

/**
 * The value with another one at a path; undefined takes the entry, or the item of a list, away.
 *
 * @example
 * ```ts
 * withAt({ a: [1, { b: 2 }] }, ["a", 1, "b"], 3) // => { a: [1, { b: 3 }] }
 * withAt({ a: [1, { b: 2 }] }, ["a", 0], undefined) // => { a: [{ b: 2 }] }
 * ```
 */
export function withAt(value: JsonValue | undefined, path: FieldPath, wanted: JsonValue | undefined): JsonValue {
  const [step = "", ...rest] = path;
  const changed = rest.length === 0 ? wanted : withAt(valueAt(value, [step]), rest, wanted);
  if (Array.isArray(value)) {
    return value.flatMap((item, at) => (at !== step ? [item] : changed === undefined ? [] : [changed]));
  }
  const object = objectOf(value);
  return changed === undefined ? withoutEntries(object, [String(step)]) : { ...object, [step]: changed };
}
