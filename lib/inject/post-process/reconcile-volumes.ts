// Volumes that an earlier injection left. They cannot be taken out beforehand as containers are: an author may have a
// volume of the same name, which merging keeps, and only the new overlay tells whether the volume is still wanted.

import { jsonEqual } from "../../json.ts";
import type { Pod, Volume } from "../../kube/pod-types.ts";
import type { Injection } from "../injector.ts";
import { withSpec } from "../pod-edit.ts";
import { keptVolume } from "../undo/injection-notes.ts";
import { withSource } from "./volume-sources.ts";

/**
 * A volume of an earlier injection that the overlay no longer has goes, unless a container mounts it or the status that
 * names it is not to be believed; one that the
 * overlay would change is replaced by the overlay's, as merging two configurations' sources would make one too many.
 */
export function reconcileVolumes(pod: Pod, { earlier, pod: before }: Injection, overlay: Pod): Pod {
  const volumes = pod.spec?.volumes;
  const told = new Set(earlier.volumes);
  if (volumes === undefined || told.size === 0) return pod;
  const reconciled = volumes.flatMap((volume) => {
    if (!told.has(volume.name) || earlier.notes.includes(keptVolume(volume.name))) return [volume];
    const wanted = named(overlay.spec?.volumes, volume.name);
    if (wanted === undefined) return earlier.trust !== "whole" || isMounted(pod, volume.name) ? [volume] : [];
    const earlierVolume = named(before.spec?.volumes, volume.name);
    const isUnchanged = earlierVolume === undefined || jsonEqual(volume, withSource(earlierVolume));
    return [isUnchanged ? volume : withSource(wanted)];
  });
  const isSame = reconciled.length === volumes.length && reconciled.every((volume, index) => volume === volumes[index]);
  return isSame ? pod : withSpec(pod, { volumes: reconciled.length === 0 ? undefined : reconciled });
}

function named(volumes: readonly Volume[] | undefined, name: string): Volume | undefined {
  return volumes?.find((volume) => volume.name === name);
}

function isMounted(pod: Pod, volume: string): boolean {
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  return containers.some(({ volumeMounts }) => volumeMounts?.some(({ name }) => name === volume));
}
