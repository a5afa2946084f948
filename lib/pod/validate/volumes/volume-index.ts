// A pod's volumes by name.

import type { Volume } from "../../generated/pod-types.ts";
import { objectOf, textOf } from "../check.ts";

/** Few volumes are scanned; many are in a map, so that mounts by the thousand stay linear. */
export interface VolumeIndex {
  readonly list: readonly Volume[];
  readonly byName: ReadonlyMap<string, Volume> | undefined;
}

const MAX_SCANNED = 16;

export function indexVolumes(list: readonly Volume[]): VolumeIndex {
  const isLong = list.length > MAX_SCANNED;
  const byName = isLong ? new Map(list.map((each) => [textOf(objectOf(each).name), each] as const)) : undefined;
  return { list, byName };
}

export function findVolume({ list, byName }: VolumeIndex, name: string): Volume | undefined {
  if (byName !== undefined) return byName.get(name);
  for (let at = 0; at < list.length; at++) {
    const volume = list[at];
    if (volume !== undefined && volume !== null && volume.name === name) return volume;
  }
  return undefined;
}
