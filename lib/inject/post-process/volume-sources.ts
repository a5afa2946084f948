// A volume without a source is an emptyDir: the API server writes that when it stores the pod. Writing it here keeps a
// second injection from finding a difference.

import type { Pod, Volume } from "../../kube/pod-types.ts";
import type { InjectionStep } from "../injection-step.ts";
import { withSpec } from "../pod-edit.ts";

/** Never undone: the API server would add the source to the author's volumes as well. */
export const volumeSources: InjectionStep = { apply: nameVolumeSources };

function nameVolumeSources(pod: Pod): Pod {
  const volumes = pod.spec?.volumes;
  if (volumes === undefined || volumes.every(hasSource)) return pod;
  return withSpec(pod, { volumes: volumes.map(withSource) });
}

/** The volume with `emptyDir: {}` if it has no source. */
export function withSource(volume: Volume): Volume {
  return hasSource(volume) ? volume : { ...volume, emptyDir: {} };
}

function hasSource(volume: Volume): boolean {
  for (const key in volume) if (key !== "name") return true;
  return false;
}
