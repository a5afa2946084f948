// The pod's own record of the injection: status, network, and the annotations that the configuration adds to all.

import type { Pod } from "../../kube/pod-types.ts";
import type { Injection } from "../injector.ts";
import { annotationKeys, labelKeys } from "../keys.ts";
import { withAnnotations, withMetadata } from "../pod-edit.ts";
import { keptVolume, notesOf } from "../undo/injection-notes.ts";
import { adoptedNote, formatStatus, prometheusNote } from "../undo/injection-status.ts";
import { isPrometheusMerged } from "./prometheus-merge.ts";

const networkVariable = "ISTIO_META_NETWORK";

/** Annotations with an undoing of their own: what stood there before is recorded in the proxy's environment. */
const undoneElsewhere: readonly string[] = [annotationKeys.securePort, annotationKeys.overrides].map(annotationNote);
const undoneWithMerging = ["prometheus.io/port", "prometheus.io/path", "prometheus.io/scrape"].map(annotationNote);

export function setMetadata(pod: Pod, injection: Injection, overlay: Pod): Pod {
  const { injector, environment, revision, adopted, earlier, pod: author } = injection;
  const network = environment[networkVariable];
  const labels = { ...pod.metadata?.labels, ...(network !== undefined && { [labelKeys.network]: network }) };
  const annotations = { ...pod.metadata?.annotations, ...injector.config.injectedAnnotations };
  const edited = withMetadata(pod, { labels, annotations });
  const { statusPort } = injector.meshConfig.defaultConfig;
  // Before the configuration's own annotations, which may say something else.
  const isMerged = isPrometheusMerged(pod, statusPort) && !isPrometheusMerged(author, statusPort);
  const undone = isMerged ? [...undoneElsewhere, ...undoneWithMerging] : undoneElsewhere;
  const notes = [
    ...notesOf(edited, author, earlier.notes).filter((note) => !undone.includes(note)),
    ...keptVolumes(injection, overlay),
    ...(isMerged ? [prometheusNote] : []),
    ...(adopted ? [adoptedNote] : []),
  ];
  const status = formatStatus(overlay.spec ?? {}, revision, notes);
  return withAnnotations(edited, { [annotationKeys.status]: status });
}

function annotationNote(key: string): string {
  return `annotations/${key}`;
}

/** The author's volumes that the overlay names too, by what an earlier injection noted or, at the first, by the pod. */
function keptVolumes({ earlier, pod: author }: Injection, overlay: Pod): readonly string[] {
  const injected = earlier.volumes;
  const names = new Set(author.spec?.volumes?.map(({ name }) => name));
  return (overlay.spec?.volumes ?? [])
    .filter(({ name }) => names.has(name) && (!injected.includes(name) || earlier.notes.includes(keptVolume(name))))
    .map(({ name }) => keptVolume(name));
}
