// Volumes that an earlier injection left in the pod. They cannot be removed beforehand, as containers are: the author may
// have a volume of the same name, which merging keeps, and only the new overlay says whether the volume is still needed.

import { jsonEqual } from "@outrigger/base";
import type { Pod, Volume } from "@outrigger/pod";
import type { RenderedInjection } from "../injection.ts";
import { firstByName, withSpec } from "../pod-edit.ts";
import { neverInjected } from "../undo/earlier-injection.ts";
import { keptVolume } from "../undo/injection-notes.ts";
import type { InjectionStep } from "./injection-step.ts";
import { sourceOf, withSource } from "./volume-sources.ts";

/** Undoes the volumes of an earlier injection while applying the next one, so it has no `undo` of its own. */
export const volumeReconciliation: InjectionStep = { apply: reconcileVolumes };

/**
 * A volume that an earlier injection added and that the overlay no longer has is removed, unless a container mounts it
 * or the status that names it is not whole. A volume that the overlay changes is replaced by the overlay's: merging the
 * sources of two configurations would give it two sources.
 */
function reconcileVolumes(pod: Pod, { earlier, pod: before, overlay }: RenderedInjection): Pod {
  const volumes = pod.spec?.volumes;
  if (volumes === undefined || earlier === neverInjected) return pod;
  const injected = new Set(earlier.volumes);
  const notes = new Set(earlier.notes);
  const overlaid = firstByName(overlay.spec?.volumes);
  const earlierVolumes = firstByName(before.spec?.volumes);
  const mounted = mountedVolumes(pod);
  const reconciled = volumes.flatMap((volume) => {
    if (!injected.has(volume.name) || notes.has(keptVolume(volume.name))) return [volume];
    const wanted = overlaid.get(volume.name);
    if (wanted === undefined) return earlier.trust !== "whole" || mounted.has(volume.name) ? [volume] : [];
    const earlierVolume = earlierVolumes.get(volume.name);
    if (earlierVolume === undefined) return [volume];
    // Istio's status does not say whose the volume is: a template without a source keeps the author's.
    if (earlier.trust === "listed" && sourceOf(wanted) === undefined) return [volume];
    const isUnchanged = jsonEqual(volume, withSource(earlierVolume));
    const hasSameSource = sourceOf(volume) === sourceOf(withSource(wanted));
    return [isUnchanged && hasSameSource ? volume : withSource(wanted)];
  });
  const ordered = inOrderOf(before.spec?.volumes ?? [], reconciled);
  const isSame = ordered.length === volumes.length && ordered.every((volume, index) => volume === volumes[index]);
  return isSame ? pod : withSpec(pod, { volumes: ordered.length === 0 ? undefined : ordered });
}

/**
 * The volumes in the order that the pod has them, if they are the same: an overlay that orders volumes would order those of
 * the earlier injection too, and their order means nothing.
 */
function inOrderOf(before: readonly Volume[], volumes: readonly Volume[]): readonly Volume[] {
  if (before.length !== volumes.length) return volumes;
  const places = new Map(before.map(({ name }, place) => [name, place]));
  if (!volumes.every(({ name }) => places.has(name))) return volumes;
  return [...volumes].sort((a, b) => (places.get(a.name) as number) - (places.get(b.name) as number));
}

function mountedVolumes({ spec }: Pod): ReadonlySet<string> {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return new Set(containers.flatMap(({ volumeMounts }) => volumeMounts?.map(({ name }) => name) ?? []));
}
