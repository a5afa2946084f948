// The status annotation: what an injection added to a pod, so that the next injection can remove it.
//
// The lists are Istio's, for its tools. Everything that Istio does not record is a key with an empty list, which its tools
// ignore: a note for each field that the pod did not have before, and a checksum that shows whether the status is intact.
// Any author can write this annotation, so the checksum protects against damage, not against malice: a forged status
// removes parts of its author's own pod only.

import { fnv1a, isObject, memoize, memoizeJson, parseJson, recordKeys } from "@outrigger/base";
import type { Pod, PodSpec } from "@outrigger/pod";

const LISTS = ["initContainers", "containers", "volumes", "imagePullSecrets"] as const;

type Lists = Readonly<Record<(typeof LISTS)[number], readonly string[]>>;

export interface InjectionStatus extends Lists {
  /** Notes of what else undoing needs: `labels/<key>`, `annotations/<key>`, … (injection-notes.ts). */
  readonly notes: readonly string[];
  /**
   * The extent to which the status can be trusted. `whole`: as Outrigger wrote it. `listed`: lists of an injector that
   * writes no checksum. `damaged`: there was an injection, but nothing else is certain.
   */
  readonly trust: "whole" | "listed" | "damaged";
  /** The release that made the pod, and its note: two records with the same note are of the same release and settings. */
  readonly madeBy?: { readonly release: string; readonly note: string };
}

const noLists: Record<(typeof LISTS)[number], readonly string[]> = {
  initContainers: [],
  containers: [],
  volumes: [],
  imagePullSecrets: [],
};

export const nothingInjected: InjectionStatus = { ...noLists, notes: [], trust: "listed" };

const damaged: InjectionStatus = { ...noLists, notes: [], trust: "damaged" };

/** A note: the proxy was injected by an older injector and is kept as if the author had written it. */
export const adoptedNote = "adopted";

/** A note: the scrape annotations point at the proxy's agent. */
export const prometheusNote = "prometheus";

/** A note: the overrides annotation has this text. Without that annotation, the status is not whole. */
export function overridesNote(text: string): string {
  return text === "" ? "overrides/" : `overrides/${hashOf(text)}`;
}

/** A note: the release that injected, and what the caller's settings came to. */
export function releaseNote(release: string, settings: unknown): string {
  return `${RELEASE}${release}/${hashOfSettings(JSON.stringify(settings))}`;
}

/** The pods of a cluster have the same settings. */
const hashOfSettings = memoize(hashOf);

const RELEASE = "release/";

/** Reads the release that made the pod from a whole record. A command line names none. */
function madeByOf(notes: readonly string[]): Pick<InjectionStatus, "madeBy"> {
  const note = notes.find((each) => each.startsWith(RELEASE));
  const release = note?.slice(RELEASE.length, note.lastIndexOf("/"));
  return note === undefined || !release ? {} : { madeBy: { release, note } };
}

const checksumPrefix = "checksum/";
const istioKeys: readonly string[] = [...LISTS, "revision"];

/**
 * The status of an earlier injection, or undefined if there was none. A status that cannot be read (not JSON, wrong
 * types, a wrong checksum) is `damaged`, not an error.
 *
 * @param key of the annotation
 */
export function statusAt(pod: Pod, key: string): InjectionStatus | undefined {
  const text: unknown = pod.metadata?.annotations?.[key];
  if (text === undefined) return undefined;
  return typeof text === "string" ? readRecord(text) : damaged;
}

/** The status of a pod where the config of its release is not known: by Outrigger's own key, or by the one that Istio's injector writes too. */
export function readStatus(pod: Pod): InjectionStatus | undefined {
  return statusAt(pod, recordKeys(pod.metadata?.annotations).status);
}

/** The record of one pod is asked for in several places, and most pods of a release have the same. */
const readRecord = memoize((text): InjectionStatus => {
  const status = parseJson(text);
  if (!isObject(status)) return damaged;
  const read = { ...noLists };
  for (const key of LISTS) {
    const list = names(status[key]);
    if (list === undefined) return damaged;
    read[key] = list;
  }
  const others = Object.keys(status).filter((key) => !istioKeys.includes(key));
  const checksum = others.find((key) => key.startsWith(checksumPrefix));
  if (checksum === undefined) return { ...read, notes: [], trust: "listed" };
  const notes = others.filter((key) => key !== checksum);
  return checksum === checksumPrefix + checksumOf(read, notes)
    ? { ...read, notes, trust: "whole", ...madeByOf(notes) }
    : damaged;
});

/**
 * The annotation's text for an injected overlay and its notes.
 *
 * @example
 * ```ts
 * formatStatus({ containers: [{ name: "istio-proxy" }] }, "", ["labels/app"]) // => '{"initContainers":null,"containers":["istio-proxy"],"volumes":null,"imagePullSecrets":null,"revision":"default","labels/app":[],"checksum/da958e41":[]}'
 * ```
 */
export function formatStatus(overlay: Partial<PodSpec>, revision: string, given: readonly string[]): string {
  const lists = { ...noLists };
  for (const key of LISTS) lists[key] = overlay[key]?.map(({ name }) => name ?? "") ?? [];
  return formatRecord([lists, revision === "" ? "default" : revision, given]);
}

/** The pods of a workload, and most pods of a release, have the same record. */
const formatRecord = memoizeJson(([lists, revision, given]: readonly [Lists, string, readonly string[]]) => {
  // Notes are keys of an object, so each is written once: a pull secret may be listed twice.
  const notes = [...new Set(given)];
  const status: Record<string, unknown> = {};
  for (const key of LISTS) status[key] = lists[key].length === 0 ? null : lists[key];
  status["revision"] = revision;
  for (const note of notes) status[note] = [];
  status[checksumPrefix + checksumOf(lists, notes)] = [];
  return JSON.stringify(status);
});

/** Reads a list of names. Istio writes null for an empty list. */
function names(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) && value.every((name) => typeof name === "string") ? value : undefined;
}

function checksumOf(lists: Lists, notes: readonly string[]): string {
  return hashOf([...LISTS.map((key) => lists[key]), notes].join(";"));
}

/** 32 bits, in hexadecimal digits. */
function hashOf(text: string): string {
  return fnv1a(text).toString(16);
}
