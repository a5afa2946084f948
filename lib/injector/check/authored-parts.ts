// Finds the part of a pod that makes its injection unacceptable, by injecting the pod without it.

import type { ErrorCode, FieldPath } from "@outrigger/base";
import { type Container, formatFieldPath, type Pod } from "@outrigger/pod";
import { typeAt } from "../decode-pod.ts";

interface AuthoredPart {
  /** The path of the part: `metadata.annotations["example.com/x"]` */
  readonly path: string;
  /** The path without a key that the author may have chosen. */
  readonly loggedPath: string;
  /** The error for a pod with a fault in this part. */
  readonly code: ErrorCode;
}

/**
 * The part of the pod that causes a result: without it, the result is another one. Annotations and labels are tried before
 * fields, and these before names, and then several of these groups together: two parts may each cause the same result. If
 * only several parts together must be taken away, it is the first of them.
 *
 * Of a pod with thousands of parts, only the group is found, and named as a whole.
 *
 * @param isGone whether the result is another one for this pod. It is called at most six times, and 2 × log2 of the number
 *   of parts times
 * @returns undefined if no part of the pod causes the result
 */
export function findCause(pod: Pod, isGone: (rest: Pod) => boolean): AuthoredPart | undefined {
  const isCausedBy = (parts: readonly FieldPath[]) => parts.length > 0 && isGone(withoutParts(pod, parts));
  const groups = groupsOf(pod);
  // Without its names a pod may not be injectable, so the groups are also tried together without these.
  const suspects = [...groups, groups.slice(0, -1).flat(), groups.flat()].find(isCausedBy);
  if (suspects === undefined) return undefined;
  if (suspects.length > MOST_PARTS) return partOf((suspects[0] as FieldPath).slice(0, isEntry(suspects[0]) ? 2 : 1));
  const end = leastOf(suspects.length, (count) => isCausedBy(suspects.slice(0, count)));
  const first = end - leastOf(end, (count) => isCausedBy(suspects.slice(end - count, end)));
  return partOf(suspects[first] as FieldPath);
}

/** The most parts that are tried: every try injects the pod once more. Pods that people write have a few hundred. */
const MOST_PARTS = 5000;

/**
 * Returns the least number from 1 to `most` for which `holds` is true. It must be true for `most`, and for every number
 * above one for which it is true.
 */
function leastOf(most: number, holds: (count: number) => boolean): number {
  let [below, least] = [0, most];
  while (least - below > 1) {
    const middle = (below + least) >> 1;
    if (holds(middle)) least = middle;
    else below = middle;
  }
  return least;
}

const LISTS = ["containers", "initContainers"] as const;

/** The lists of the spec whose items are parts. */
const LIST_FIELDS: ReadonlySet<string> = new Set([...LISTS, "volumes"]);

/**
 * The parts in groups: annotations; labels; fields of the spec, volumes one by one, and fields of each container;
 * names. Without its name, a container is another one, and so is what is wrong with it.
 */
function groupsOf({ metadata, spec }: Pod): readonly (readonly FieldPath[])[] {
  const entries = (field: "annotations" | "labels") =>
    Object.keys(metadata?.[field] ?? {}).map((key) => ["metadata", field, key]);
  const fields = Object.keys(spec ?? {}).filter((key) => !LIST_FIELDS.has(key));
  const volumes = (spec?.volumes ?? []).map((_, at) => ["spec", "volumes", at]);
  const containers = LISTS.flatMap((list) =>
    (spec?.[list] ?? []).flatMap((container, at) => Object.keys(container).map((key) => ["spec", list, at, key])),
  );
  const names = (["name", "generateName"] as const).filter((key) => metadata?.[key] !== undefined);
  const isName = (steps: FieldPath) => steps.at(-1) === "name";
  return [
    entries("annotations"),
    entries("labels"),
    [...fields.map((key) => ["spec", key]), ...volumes, ...containers.filter((steps) => !isName(steps))],
    [...names.map((key) => ["metadata", key]), ...containers.filter(isName)],
  ];
}

function isEntry(steps: FieldPath | undefined): boolean {
  return steps?.[0] === "metadata" && steps.length === 3;
}

function partOf(steps: FieldPath): AuthoredPart {
  const [top, field, key] = steps;
  const code = top === "metadata" && field === "annotations" ? "annotation-invalid" : "pod-invalid";
  const map = `metadata.${field}`;
  if (isEntry(steps)) return { path: `${map}[${JSON.stringify(key)}]`, loggedPath: `${map}[*]`, code };
  const path = formatFieldPath(steps);
  // The key of an unknown field may be the author's.
  return { path, loggedPath: typeAt(steps) === undefined ? "spec" : path, code };
}

/** The pod without the parts. What a pod or a container must have gets another text. */
function withoutParts(pod: Pod, parts: readonly FieldPath[]): Pod {
  // A text for each path: joined by what no key has that people write.
  const gone = new Set(parts.map((steps) => steps.join("\0")));
  const kept = <T>(value: T, path: string, depth: number): T => {
    if (typeof value !== "object" || value === null || depth === DEEPEST) return value;
    const left = Object.entries(value).flatMap(([key, child]) => {
      const at = depth === 0 ? key : `${path}\0${key}`;
      return gone.has(at) ? [] : [[key, kept(child, at, depth + 1)] as const];
    });
    return (Array.isArray(value) ? left.map(([, child]) => child) : Object.fromEntries(left)) as T;
  };
  const { metadata, spec } = kept(pod, "", 0);
  const containers = (list: (typeof LISTS)[number]) =>
    spec?.[list]?.map(
      (each, at): Container => ({
        ...each,
        name: each.name ?? `${list.toLowerCase()}-${at}`,
        image: each.image ?? "app",
      }),
    ) ?? [];
  return {
    metadata: { name: "app", annotations: {}, labels: {}, ...metadata },
    spec: {
      ...spec,
      containers: containers("containers"),
      ...(spec?.initContainers && { initContainers: containers("initContainers") }),
    },
  };
}

/** The number of steps to the deepest part: `spec.containers[0].name`. */
const DEEPEST = 4;
