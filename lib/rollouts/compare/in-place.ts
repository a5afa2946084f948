// Whether a running pod becomes what a new one would be by new images alone: an API server lets nothing else of a pod's containers
// change. Pure.
import { type JsonObject, jsonEqual, objectOf, objectsOf } from "@outrigger/base";
import { annotationKeys, containerNames, readStatus } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import type { PodChange } from "./pod-changes.ts";

type ContainerList = "containers" | "initContainers";

/** A container of a running pod, and the image that a new pod would have there. */
export interface NewImage {
  readonly list: ContainerList;
  readonly name: string;
  readonly image: string;
  /** Why it is left alone unless it is named. */
  readonly caution?: Caution;
}

/** It carries the pod's traffic; it has run already, and does not run again; it is the application's own. */
export type Caution = "traffic" | "ended" | "application";

/** What makes a pod current, or why only a new pod is. */
export type InPlace =
  | {
      readonly images: readonly NewImage[];
      /** The pod's record, as it is then. */
      readonly record: string;
    }
  | { readonly why: string };

/**
 * @param pod as it runs
 * @param next the same, injected again by the release that is served
 * @param changes in what that injection differs from one by the release that made the pod
 */
export function inPlaceOf(pod: Pod, next: Pod, changes: readonly PodChange[]): InPlace {
  const images: NewImage[] = [];
  for (const { field, running, now } of changes) {
    const [, list, name = ""] = IMAGE.exec(field) ?? [];
    if (list === undefined || typeof now !== "string") return { why: `more than images differ: ${field}` };
    const container = containerOf(pod, list as ContainerList, name);
    if (container === undefined || container["image"] !== running)
      return { why: `another webhook has changed the image of ${name}` };
    const caution = cautionOf(pod, list as ContainerList, container);
    images.push({ list: list as ContainerList, name, image: now, ...(caution !== undefined && { caution }) });
  }
  const record = next.metadata?.annotations?.[annotationKeys.status];
  const isSame = jsonEqual(kept(pod), kept(next));
  if (record === undefined || !isSame) return { why: "its record of the injection differs in more than the release" };
  return { images, record };
}

const IMAGE = /^(containers|initContainers)\[([^\]]+)\]\.image$/;

function containerOf({ spec }: Pod, list: ContainerList, name: string): JsonObject | undefined {
  return objectsOf(objectOf(spec as unknown)[list]).find((container) => container["name"] === name);
}

function cautionOf(pod: Pod, list: ContainerList, { name, restartPolicy }: JsonObject): Caution | undefined {
  if (name === containerNames.proxy) return "traffic";
  if (list === "initContainers" && restartPolicy !== "Always") return "ended";
  return authored(pod).has(String(name)) ? "application" : undefined;
}

/** Containers of the author that an injection merged with its own. */
function authored(pod: Pod): ReadonlySet<string> {
  const lists = objectOf(JSON.parse(overridesOf(pod) ?? "{}"));
  return new Set(LISTS.flatMap((list) => objectsOf(lists[list]).map(({ name }) => String(name))));
}

const LISTS = ["containers", "initContainers"] as const;

function overridesOf({ metadata }: Pod): string | undefined {
  return metadata?.annotations?.[annotationKeys.overrides];
}

/** What undoes an injection: it must be the same, whichever images a pod has. */
function kept(pod: Pod): JsonObject {
  const { madeBy, notes = [], ...status } = readStatus(pod) ?? {};
  const others = notes.filter((note) => note !== madeBy?.note);
  return { ...status, notes: others, overrides: overridesOf(pod) ?? "" } as JsonObject;
}

/** The write that changes a pod in place: its images, and the record that says so. Only of the version that was read. */
export function inPlacePatch(
  pod: JsonObject,
  { images, record }: Extract<InPlace, { readonly record: string }>,
): JsonObject {
  const { resourceVersion } = objectOf(pod["metadata"]);
  const metadata = { resourceVersion, annotations: { [annotationKeys.status]: record } };
  const spec = Object.fromEntries(
    LISTS.map((list) => [
      list,
      images.filter((one) => one.list === list).map(({ name, image }) => ({ name, image })),
    ]).filter(([, list]) => (list as readonly unknown[]).length > 0),
  );
  return { metadata, spec } as JsonObject;
}
