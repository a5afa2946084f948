// Volumes that an earlier injection left in the pod. They cannot be removed beforehand, as containers are: the author may
// have a volume of the same name, which merging keeps, and only the new overlay says whether the volume is still needed.

import { jsonEqual, OutriggerError } from "@outrigger/base";
import type { Pod, Volume } from "@outrigger/pod";
import type { InjectionStep, RenderedInjection } from "../injection.ts";
import { firstByName, withSpec } from "../pod-edit.ts";
import { withNotedOrder } from "../undo/container-order.ts";
import { neverInjected } from "../undo/earlier-injection.ts";
import { keptVolume } from "../undo/injection-notes.ts";

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

/** The pod without the volumes that an earlier injection added: only its author's are left, in their order. */
export function withoutEarlierVolumes({ pod: undone, earlier }: Pick<RenderedInjection, "pod" | "earlier">): Pod {
  const pod = withNotedOrder(undone, earlier.notes, ["volumes"]);
  if (earlier.volumes.length === 0) return pod;
  const [added, notes] = [new Set(earlier.volumes), new Set(earlier.notes)];
  const isAuthored = ({ name }: Volume) => !added.has(name) || notes.has(keptVolume(name));
  const volumes = pod.spec?.volumes?.filter(isAuthored);
  if (volumes === undefined || volumes.length === pod.spec?.volumes?.length) return pod;
  return withSpec(pod, { volumes: volumes.length === 0 ? undefined : volumes });
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

/**
 * A volume without a source is an emptyDir: the API server writes that when it stores the pod, to the author's volumes as well, so
 * it is never undone. Writing it here keeps a second injection from finding a difference.
 */
export const volumeSources: InjectionStep = { apply: nameVolumeSources };

function nameVolumeSources(pod: Pod, { pod: author, injector, overlay }: RenderedInjection): Pod {
  const volumes = pod.spec?.volumes;
  if (!volumes || volumes.every((volume) => sourceOf(volume) !== undefined)) return pod;
  if (injector.config.compatibility === "reference" || volumes.every(isPlain))
    return withSpec(pod, { volumes: volumes.map(withSource) });
  const authored = firstByName(author.spec?.volumes);
  const tokens = firstByName(overlay.spec?.volumes?.filter(hasToken));
  const withOne = (volume: Volume): Volume => withOneSource(volume, authored.get(volume.name), tokens.has(volume.name));
  return withSpec(pod, { volumes: volumes.map(withOne) });
}

/** Whether a volume has a token of the pod's service account, by which a proxy proves who it is. */
function hasToken({ projected }: Volume): boolean {
  return projected?.sources?.some((source) => source?.serviceAccountToken !== undefined) ?? false;
}

/**
 * Returns the volume with one source. If the author and a template have a volume of the same name with different
 * sources, the author's volume is kept, unless the template's has the proxy's token.
 *
 * @throws OutriggerError `pod-invalid` where the proxy would read the author's volume in place of its token
 */
function withOneSource(volume: Volume, authored: Volume | undefined, isToken: boolean): Volume {
  if (isPlain(volume)) return withSource(volume);
  const own = authored && sourceOf(authored);
  if (authored === undefined || own === undefined) return volume;
  if (!isToken) return authored;
  const { name } = volume;
  const message = `Cannot inject: volume ${name} has the proxy's token, and the pod has another with this name (${own}): rename the pod's volume`;
  const logged = {
    message: "Cannot inject: a volume of the pod has the name of the one with the proxy's token",
    path: "spec.volumes",
  };
  throw new OutriggerError("pod-invalid", message, { path: "spec.volumes", logged });
}

/** Whether a volume has one source, or none. */
function isPlain(volume: Volume): boolean {
  return sourceOf(volume) !== undefined || !hasSource(volume);
}

/** The field that has the volume's source; undefined for a volume with no source or with several. */
function sourceOf(volume: Volume): string | undefined {
  let source: string | undefined;
  for (const key in volume) {
    if (key === "name" || volume[key as "emptyDir"] == null) continue;
    if (source !== undefined) return undefined;
    source = key;
  }
  return source;
}

function withSource(volume: Volume): Volume {
  return hasSource(volume) ? volume : { ...volume, emptyDir: {} };
}

function hasSource(volume: Volume): boolean {
  for (const key in volume) if (key !== "name") return true;
  return false;
}
