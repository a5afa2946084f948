// The notes in an injection's status: which fields the pod did not have before the injection, and which volumes it had.
// Written by an injection, followed to undo it.

import type { Container, Pod } from "@outrigger/pod";
import { containerNames } from "../data-plane.ts";
import {
  type ContainerList,
  findContainer,
  findContainerInPod,
  withMetadata,
  withoutKeys,
  withSpec,
} from "../pod-edit.ts";

/**
 * The notes of an injection that made `pod` of its author's pod. Keys are sorted: an API server reorders fields, and the
 * same injection must write the same notes.
 *
 * | note                      | meaning                                                                   |
 * |---------------------------|---------------------------------------------------------------------------|
 * | `labels/<key>`            | the label was added                                                       |
 * | `annotations/<key>`       | the annotation was added                                                  |
 * | `imagePullSecrets/<name>` | the secret was added                                                      |
 * | `metadata/<field>`        | the field was added                                                       |
 * | `spec/<field>`            | the field was added                                                       |
 * | `kept/volumes/<name>`     | the author has a volume of that name too                                  |
 * | `proxy/<list>/<index>`    | where the author's own container for the proxy was                        |
 * | `proxy/<list>/<index>/Always` | the same, and its `restartPolicy`, which it lost among the containers |
 * | `order/<list>/<names>`    | the author's order, where the templates changed it                        |
 *
 * @param earlier notes of an earlier injection: its place of the proxy is kept, as that injection may have removed other
 * containers
 */
export function notesOf(pod: Pod, author: Pod, earlier: readonly string[]): readonly string[] {
  const secrets = new Set(author.spec?.imagePullSecrets?.map(({ name }) => name));
  const notes = [
    ...addedKeys("labels", pod.metadata?.labels, author.metadata?.labels),
    ...addedKeys("annotations", pod.metadata?.annotations, author.metadata?.annotations),
  ];
  for (const { name } of pod.spec?.imagePullSecrets ?? [])
    if (!secrets.has(name)) notes.push(`imagePullSecrets/${name}`);
  for (const field of addedFields(pod.metadata, author.metadata)) notes.push(`metadata/${field}`);
  for (const field of addedFields(pod.spec, author.spec)) notes.push(`spec/${field}`);
  const place = earlier.find((note) => proxyPlace.test(note))?.replace(ALWAYS, "") ?? proxyPlaceIn(author);
  return place === undefined ? notes : [...notes, hasLostRestart(pod, author) ? place + ALWAYS : place];
}

const ALWAYS = "/Always";
const proxyPlace = /^proxy\/(containers|initContainers)\/(\d{1,4})(\/Always)?$/;

/** A native sidecar of the author's that is now among the containers, where `restartPolicy` means something else. */
function hasLostRestart(pod: Pod, author: Pod): boolean {
  const own = findContainer(author.spec?.initContainers, containerNames.proxy);
  return own?.restartPolicy === "Always" && findContainer(pod.spec?.containers, containerNames.proxy) !== undefined;
}

function proxyPlaceIn(author: Pod): string | undefined {
  for (const list of ["containers", "initContainers"] as const) {
    const index = author.spec?.[list]?.findIndex(({ name }) => name === containerNames.proxy) ?? -1;
    if (index >= 0) return `proxy/${list}/${index}`;
  }
  return undefined;
}

/**
 * Moves the author's container for the proxy back to its noted place. Without a note, as in a status that Istio wrote, to the
 * end of the containers if the injection changed it.
 */
export function withProxyInPlace(pod: Pod, notes: readonly string[], isInjected: boolean): Pod {
  const proxy = findContainerInPod(pod, containerNames.proxy);
  const note = notes.map((text) => proxyPlace.exec(text)).find((match) => match !== null);
  if (proxy === undefined || (note === undefined && !isInjected)) return pod;
  const place = note?.[1] === "initContainers" ? "initContainers" : "containers";
  const others = (list: ContainerList) => pod.spec?.[list]?.filter((container) => container !== proxy) ?? [];
  const index = note === undefined ? others(place).length : Number(note[2]);
  const list = findContainer(pod.spec?.containers, containerNames.proxy) === proxy ? "containers" : "initContainers";
  const left = others(list);
  const restored: Container =
    note?.[3] !== undefined && proxy.restartPolicy === undefined ? { ...proxy, restartPolicy: "Always" } : proxy;
  return withSpec(pod, {
    [list]: left.length === 0 && list === "initContainers" ? undefined : left,
    [place]: others(place).toSpliced(index, 0, restored),
  });
}

/** The pod without the fields that the notes name as added. Ignores other notes. */
export function withoutNoted(pod: Pod, notes: readonly string[]): Pod {
  if (notes.length === 0) return pod;
  const labels = namesUnder("labels", notes);
  const annotations = namesUnder("annotations", notes);
  const removed = new Set(namesUnder("imagePullSecrets", notes));
  const { metadata, spec } = pod;
  const secrets = spec?.imagePullSecrets?.filter(({ name }) => name === undefined || !removed.has(name));
  const restored = withMetadata(pod, {
    ...absent(namesUnder("metadata", notes)),
    ...(metadata?.labels && { labels: withoutKeys(metadata.labels, labels) }),
    ...(metadata?.annotations && { annotations: withoutKeys(metadata.annotations, annotations) }),
  });
  return withSpec(restored, {
    ...absent(namesUnder("spec", notes)),
    ...(secrets && removed.size > 0 && { imagePullSecrets: secrets.length === 0 ? undefined : secrets }),
  });
}

/** The note of a volume that the author has too. */
export function keptVolume(name: string): string {
  return `kept/volumes/${name}`;
}

/** Fields that are undone item by item. */
export const undoneByItem: ReadonlySet<string> = new Set(
  "labels annotations containers initContainers volumes imagePullSecrets".split(" "),
);

function addedFields(fields: object | null = {}, before: object | null = {}): readonly string[] {
  const added: string[] = [];
  for (const field in fields)
    if (!isSet(before, field) && isSet(fields, field) && !undoneByItem.has(field)) added.push(field);
  return added.sort();
}

function isSet(fields: object | null, field: string): boolean {
  const value: unknown = fields !== null && Object.hasOwn(fields, field) ? fields[field as never] : undefined;
  return value !== undefined && value !== null;
}

function absent(fields: readonly string[]): Readonly<Record<string, undefined>> {
  return Object.fromEntries(fields.filter((field) => !undoneByItem.has(field)).map((field) => [field, undefined]));
}

type Strings = Readonly<Record<string, string>>;

function addedKeys(field: string, map: Strings | null = {}, before: Strings | null = {}): string[] {
  const added: string[] = [];
  for (const key in map) if (before === null || !Object.hasOwn(before, key)) added.push(`${field}/${key}`);
  return added.sort();
}

function namesUnder(field: string, notes: readonly string[]): readonly string[] {
  const prefix = `${field}/`;
  return notes.filter((note) => note.startsWith(prefix)).map((note) => note.slice(prefix.length));
}
