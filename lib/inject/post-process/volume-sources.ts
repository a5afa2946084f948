// A volume without a source is an emptyDir: the API server says so when the pod is stored, and saying it here keeps a
// second injection from finding a difference.

import type { Pod, Volume } from "../../kube/pod-types.ts";
import { withSpec } from "../pod-edit.ts";

export function nameVolumeSources(pod: Pod): Pod {
  const volumes = pod.spec?.volumes;
  if (volumes === undefined || volumes.every(hasSource)) return pod;
  return withSpec(pod, { volumes: volumes.map(withSource) });
}

export function withSource(volume: Volume): Volume {
  return hasSource(volume) ? volume : { ...volume, emptyDir: {} };
}

function hasSource(volume: Volume): boolean {
  for (const key in volume) if (key !== "name") return true;
  return false;
}
