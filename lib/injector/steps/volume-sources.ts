// A volume without a source is an emptyDir: the API server writes that when it stores the pod. Writing it here keeps a
// second injection from finding a difference.

import type { Pod, Volume } from "@outrigger/pod";
import type { RenderedInjection } from "../injection.ts";
import { withSpec } from "../pod-edit.ts";
import type { InjectionStep } from "./injection-step.ts";

/** Never undone: the API server would add the source to the author's volumes as well. */
export const volumeSources: InjectionStep = { apply: nameVolumeSources };

function nameVolumeSources(pod: Pod, { pod: author, injector }: RenderedInjection): Pod {
  const volumes = pod.spec?.volumes;
  if (!volumes || volumes.every((volume) => sourceOf(volume) !== undefined)) return pod;
  if (injector.config.compatibility === "reference") return withSpec(pod, { volumes: volumes.map(withSource) });
  const authored = new Map(author.spec?.volumes?.map((volume) => [volume.name, volume]));
  return withSpec(pod, { volumes: volumes.map((volume) => withOneSource(volume, authored.get(volume.name))) });
}

/** If the author and a template have a volume of the same name with different sources, the author's volume is kept. */
function withOneSource(volume: Volume, authored: Volume | undefined): Volume {
  if (sourceOf(volume) !== undefined || !hasSource(volume)) return withSource(volume);
  return authored !== undefined && sourceOf(authored) !== undefined ? authored : volume;
}

/** The field that has the volume's source; undefined for a volume with no source or with several. */
export function sourceOf(volume: Volume): string | undefined {
  let source: string | undefined;
  for (const key in volume) {
    if (key === "name" || volume[key as "emptyDir"] == null) continue;
    if (source !== undefined) return undefined;
    source = key;
  }
  return source;
}

/** The volume with `emptyDir: {}` if it has no source. */
export function withSource(volume: Volume): Volume {
  return hasSource(volume) ? volume : { ...volume, emptyDir: {} };
}

function hasSource(volume: Volume): boolean {
  for (const key in volume) if (key !== "name") return true;
  return false;
}
