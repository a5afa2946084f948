// Whether a running pod becomes what a new one would be by new images, CPU and memory alone: an API server lets nothing else of a
// pod's containers change. Pure.
import { defined, type JsonObject, jsonEqual, objectOf, objectsOf, recordKeys } from "@outrigger/base";
import { containerNames, type PodChange, readStatus } from "@outrigger/injector";
import { metadataOf, type Pod } from "@outrigger/pod";
import { type Amounts, newAmounts, restartsFor, type Why } from "./amounts.ts";

const LISTS = ["containers", "initContainers"] as const;
type ContainerList = (typeof LISTS)[number];

/** A container of a running pod, and why it is left alone unless it is named. */
interface ChangedContainer {
  readonly list: ContainerList;
  readonly name: string;
  readonly caution?: Caution;
}

export type NewImage = ChangedContainer & { readonly image: string };

/**
 * A container with the CPU and memory that a new pod would give it. One that has run already gets none, because its resources cannot be
 * written.
 */
export type NewResources = ChangedContainer & { readonly amounts: Amounts };

/**
 * The reason why a container is not changed in place unless it is asked for: it carries the pod's traffic, it has run
 * to its end, or it is the application's own.
 */
export type Caution = "traffic" | "ended" | "application";

/** The changes that make a pod current. */
export interface Changes {
  readonly images: readonly NewImage[];
  readonly resources: readonly NewResources[];
  /** The pod's record, as it is then. */
  readonly record: string;
}

/** The changes that make a running pod current, or why only a new pod is current. */
export type InPlace = Changes | Why;

/**
 * @param pod as it runs
 * @param made the same, injected again by the release that made it
 * @param next the same, injected again by the release that is served
 * @param changes in what the two injections differ
 */
export function inPlaceOf(pod: Pod, made: Pod, next: Pod, changes: readonly PodChange[]): InPlace {
  const images: NewImage[] = [];
  const resources = new Map<string, NewResources>();
  for (const { field, running, now } of changes) {
    const [, found, name = "", what] = CHANGEABLE.exec(field) ?? [];
    const list = LISTS.find((one) => one === found);
    if (list === undefined) return { why: `more than images and resources differ: ${field}` };
    const container = containerOf(pod, list, name) ?? {};
    if (what !== "image") {
      const given = resourcesOf([pod, made, next], list, name);
      if ("why" in given) return given;
      resources.set(`${list}/${name}`, given);
      continue;
    }
    if (container["image"] !== running || typeof now !== "string")
      return { why: `another webhook has changed the image of ${name}` };
    images.push({ list, name, image: now, ...defined({ caution: cautionOf(pod, list, container) }) });
  }
  const record = next.metadata?.annotations?.[recordKeys(next.metadata.annotations).status];
  if (record === undefined || !jsonEqual(kept(pod), kept(next)))
    return { why: "its record of the injection differs in more than the release" };
  return { images, resources: [...resources.values()], record };
}

const CHANGEABLE = /^(containers|initContainers)\[([^\]]+)\]\.(image|resources\.(?:requests|limits)\.(?:cpu|memory))$/;

function resourcesOf(pods: readonly [Pod, Pod, Pod], list: ContainerList, name: string): NewResources | Why {
  const [pod] = pods;
  const place = { list, name };
  const [running = {}, was = {}, will = {}] = pods.map((one) => containerOf(one, list, name));
  const caution = cautionOf(pod, list, running);
  if (caution === "ended") return { ...place, amounts: {}, caution };
  const amounts = newAmounts(running, was, will);
  if ("why" in amounts) return amounts;
  // Its traffic continues while it is resized.
  const isHarmless = caution === "traffic" && !restartsFor(running, amounts);
  return { ...place, amounts, ...defined({ caution: isHarmless ? undefined : caution }) };
}

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

function overridesOf({ metadata }: Pod): string | undefined {
  return metadata?.annotations?.[recordKeys(metadata.annotations).overrides];
}

/** Returns what undoes an injection. It must be the same, whichever images a pod has. */
function kept(pod: Pod): JsonObject {
  const { madeBy, notes = [], ...status } = readStatus(pod) ?? {};
  const others = notes.filter((note) => note !== madeBy?.note);
  return { ...status, notes: others, overrides: overridesOf(pod) ?? "" } as JsonObject;
}

/** The write that changes a pod in place: its images, and the record that says so. Only of the version that was read. */
export function inPlacePatch(pod: JsonObject, { images, record }: Changes): JsonObject {
  const { resourceVersion, annotations: before } = metadataOf(pod);
  const annotations = { [recordKeys(before).status]: record };
  const metadata = { resourceVersion, annotations };
  const spec = byList(images.map(({ list, name, image }) => ({ list, fields: { name, image } })));
  return { metadata, spec } as JsonObject;
}

/** Returns the patch of the pod's subresource `resize`, which comes before the pod's own. */
export function resizePatch(pod: JsonObject, { resources }: Pick<Changes, "resources">): JsonObject {
  const written = resources.filter(({ amounts }) => Object.keys(amounts).length > 0);
  const items = written.map(({ list, name, amounts }) => ({ list, fields: { name, resources: amounts } }));
  return { metadata: { resourceVersion: metadataOf(pod).resourceVersion }, spec: byList(items) } as JsonObject;
}

export function resizedContainers(pod: Pod, { resources }: Pick<Changes, "resources">) {
  return resources.map(({ list, name, amounts }) => ({ name, amounts, container: containerOf(pod, list, name) ?? {} }));
}

function byList(items: readonly { readonly list: ContainerList; readonly fields: object }[]): object {
  const named = LISTS.map((list) => [list, items.flatMap((one) => (one.list === list ? [one.fields] : []))] as const);
  return Object.fromEntries(named.filter(([, fields]) => fields.length > 0));
}
