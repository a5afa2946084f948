// The pod's record of the injection: status, notes, network label and the annotations that the configuration adds to
// every pod.

import { jsonEqual, metadataKeys, trimEnd } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import type { InjectionStep, Injector, InjectRequest, RenderedInjection } from "../injection.ts";
import { firstByName, hasProxy, withMetadata, withSpec } from "../pod-edit.ts";
import { orderNotes } from "../undo/container-order.ts";
import { neverInjected } from "../undo/earlier-injection.ts";
import { keptVolume, notesOf, withoutNoted } from "../undo/injection-notes.ts";
import { adoptedNote, formatStatus, overridesNote, prometheusNote, releaseNote } from "../undo/injection-status.ts";
import { remainderInPlace } from "../undo/remainder-in-place.ts";
import { isPrometheusMerged, mergedAnnotations } from "./prometheus-merge.ts";

type Remainder = (pod: Pod, injection: RenderedInjection) => readonly string[];

/**
 * The step that records the injection. It is the last one, because the others change what is undone.
 *
 * @param remainder undoes the injection of a pod, and returns notes about what that does not give back as its author wrote it
 */
export const injectionRecord = (remainder: Remainder): InjectionStep => ({
  apply: (pod, injection) => recordInjection(pod, injection, remainder),
  undo: (pod, { notes }) => withoutNoted(pod, notes),
});

const networkVariable = "ISTIO_META_NETWORK";

/** Annotations that another step undoes: the proxy's environment records their earlier values. */
const undoneWithMerging = [...mergedAnnotations].map((key) => `annotations/${key}`);

/**
 * A pod to which the templates add nothing gets the record and no network label. The record says that the pod was seen: an
 * audit, a rollout and the safety net cannot otherwise distinguish it from a pod that the webhook was never asked about.
 */
function recordInjection(pod: Pod, injection: RenderedInjection, remainderByUndoing: Remainder): Pod {
  const { injector, environment, revision, earlier, pod: author, overlay } = injection;
  const { keys } = injector;
  const { compatibility, injectedAnnotations } = injector.config;
  // Volumes of the author's get sources, and those of an earlier injection are reconciled.
  const isEmpty =
    compatibility === undefined &&
    !hasProxy(pod) &&
    !overlay.spec?.volumes?.length &&
    jsonEqual(withSpec(pod, { volumes: author.spec?.volumes }), author);
  const network = isEmpty ? undefined : environment[networkVariable];
  const given = withLabelValue(pod, injection) ?? (isEmpty ? undefined : {});
  const labels = network === undefined ? given : { ...given, [metadataKeys.network]: network };
  const annotations: Record<string, string> = { ...pod.metadata?.annotations, ...injectedAnnotations };
  const edited = withMetadata(pod, { ...(labels && { labels }), annotations });
  const { statusPort } = injector.meshConfig.defaultConfig;
  // Of the pod without the configuration's annotations, which may set other scrape annotations.
  const isMerged = isPrometheusMerged(pod, statusPort) && !isPrometheusMerged(author, statusPort);
  const undone = [`annotations/${keys.overrides}`, ...(isMerged ? undoneWithMerging : [])];
  const overrides = annotations[keys.overrides];
  const made = madeByNote(injector, injection.request);
  const notes = [
    ...notesOf(edited, author, earlier.notes).filter((note) => !undone.includes(note)),
    ...keptVolumes(injection),
    ...orderNotes(pod, author),
    isMerged && prometheusNote,
    earlier.isAdopted && adoptedNote,
    overrides !== undefined && overridesNote(overrides),
    made,
  ].filter((note) => typeof note === "string");
  // After all that reads the annotations, so that no note is about the status.
  const withRecord = (all: readonly string[]): Pod => {
    annotations[keys.status] = formatStatus(overlay.spec ?? {}, revision, all);
    return edited;
  };
  // Undoing alone shows what an annotation of the configuration takes the place of, and what an override did.
  const isPlain =
    earlier === neverInjected &&
    overrides === undefined &&
    !Object.keys(injectedAnnotations).some((key) => key.startsWith("prometheus"));
  const inPlace = isPlain ? remainderInPlace(edited, author, isMerged, statusPort) : undefined;
  const remainder = inPlace ?? remainderByUndoing(withRecord(notes), injection);
  // An API server takes 256 KiB of annotations: a pod with thousands of probes is injected, and undone without their names.
  return withRecord(remainder.join("").length > LONGEST_REMAINDER ? notes : [...notes, ...remainder]);
}

/** Characters of notes about what does not come back. */
const LONGEST_REMAINDER = 65_536;

/**
 * Returns the note in a pod's record about the release that makes it, and about what the caller sets: with other
 * settings, the same release makes another pod. It is undefined if the record names no release, because none is known
 * or the record is the reference's.
 */
export function madeByNote(
  { config }: Injector,
  { release, parameters, cluster }: Pick<InjectRequest, "release" | "parameters" | "cluster">,
): string | undefined {
  if (release === undefined || config.compatibility === "reference") return undefined;
  const { revision, network, nativeSidecars } = cluster ?? {};
  return releaseNote(release, [
    Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1)),
    ...[revision, network, nativeSidecars],
  ]);
}

/** The canonical name is made of other names, which may be longer than a label's value: it is cut to one. */
function withLabelValue(
  pod: Pod,
  { injector, pod: author }: RenderedInjection,
): Readonly<Record<string, string>> | undefined {
  const labels = pod.metadata?.labels;
  const name = labels?.[metadataKeys.canonicalName];
  if (name === undefined || injector.config.compatibility === "reference") return labels;
  if (author.metadata?.labels?.[metadataKeys.canonicalName] === name) return labels;
  // It must not begin or end with such characters.
  const value = trimEnd(name.slice(0, MAX_LABEL_VALUE), "-_.").replace(/^[-_.]+/, "");
  return value === name ? labels : { ...labels, [metadataKeys.canonicalName]: value };
}

/** The author's volumes that the overlay names too: from the notes of an earlier injection, otherwise from the pod. */
function keptVolumes({ earlier, pod: author, overlay }: RenderedInjection): readonly string[] {
  const own = firstByName(author.spec?.volumes);
  const names: string[] = [];
  for (const { name } of overlay.spec?.volumes ?? []) if (own.has(name)) names.push(name);
  if (names.length === 0) return names;
  const [injected, notes] = [new Set(earlier.volumes), new Set(earlier.notes)];
  return names.filter((name) => !injected.has(name) || notes.has(keptVolume(name))).map(keptVolume);
}

const MAX_LABEL_VALUE = 63;
