// Renders the selected templates and merges them over the pod, in order.

import type { JsonObject } from "../json.ts";
import type { Pod } from "../kube/pod-types.ts";
import { strategicMerge } from "../kube/strategic-merge.ts";
import type { Injection } from "./injector.ts";
import { annotationKeys, containerNames } from "./keys.ts";
import { findContainer, withSpec } from "./pod-edit.ts";
import { templateData } from "./template-data.ts";

export interface MergedOverlays {
  readonly merged: Pod;
  /** All overlays merged with each other: what was injected, and nothing of the pod. */
  readonly overlay: Pod;
}

export function mergeOverlays(injection: Injection, templates: readonly string[]): MergedOverlays {
  const data = templateData(injection);
  let merged = injection.pod;
  let overlay: JsonObject = {};
  for (const name of templates) {
    const rendered = injection.injector.templates.render(name, data);
    overlay = strategicMerge(overlay, rendered);
    merged = strategicMerge(withProxyWhereOverlayHasIt(merged, overlay, injection.nativeSidecars), rendered);
  }
  return { merged, overlay };
}

/**
 * Authors customise the proxy among the containers; a native sidecar is an init container. The author's container is
 * moved there before merging, so that the two become one.
 */
function withProxyWhereOverlayHasIt(pod: Pod, overlay: Pod, nativeSidecars: boolean): Pod {
  if (!wantsNativeSidecar(pod, nativeSidecars) || findContainer(overlay.spec?.initContainers, containerNames.proxy) === undefined) return pod;
  const proxy = findContainer(pod.spec?.containers, containerNames.proxy);
  if (proxy === undefined) return pod;
  return withSpec(pod, {
    containers: (pod.spec?.containers ?? []).filter((container) => container !== proxy),
    initContainers: [...(pod.spec?.initContainers ?? []), proxy],
  });
}

/** Whether the proxy is to be a native sidecar: the pod's annotation wins over the setting. */
export function wantsNativeSidecar(pod: Pod, setting: boolean): boolean {
  const wish = pod.metadata?.annotations?.[annotationKeys.nativeSidecar];
  return wish === "true" || (wish !== "false" && setting);
}
