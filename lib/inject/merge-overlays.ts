// Renders the selected templates and merges them over the pod, in order.

import type { JsonObject } from "../json.ts";
import type { Pod } from "../kube/pod-types.ts";
import { strategicMerge } from "../kube/strategic-merge.ts";
import type { Injection } from "./injector.ts";
import { checkJsonAnnotations } from "./json-annotations.ts";
import { annotationKeys, containerNames } from "./keys.ts";
import { findContainer, withSpec } from "./pod-edit.ts";
import { nothingInjected } from "./status.ts";
import { templateData } from "./template-data.ts";

export interface MergedOverlays {
  readonly merged: Pod;
  /** All overlays merged with each other: what was injected, and nothing of the pod. */
  readonly overlay: Pod;
}

export function mergeOverlays(injection: Injection, templates: readonly string[]): MergedOverlays {
  const data = templateData(injection);
  const rendered = templates.map((name) => render(injection, name, data));
  let merged = withDoubtful(injection, rendered);
  let overlay: JsonObject = {};
  for (const part of rendered) {
    overlay = strategicMerge(overlay, part);
    merged = strategicMerge(withProxyWhereOverlayHasIt(merged, overlay, injection.nativeSidecars), part);
  }
  return { merged, overlay };
}

/**
 * Where a status is not to be believed, a container was taken out on its name alone. One that no template renders now
 * may have been the author's, so it is put back.
 */
function withDoubtful(injection: Injection, rendered: readonly Pod[]): Pod {
  const { pod, request, earlier } = injection;
  if (earlier === nothingInjected || earlier.trust === "whole") return pod;
  const lists = (["containers", "initContainers"] as const).map((list) => {
    const isReplaced = (name: string) =>
      rendered.some(({ spec }) => findContainer(spec?.containers, name) ?? findContainer(spec?.initContainers, name));
    const found = request.pod.spec?.[list] ?? [];
    const put = found.flatMap((container) => findContainer(pod.spec?.[list], container.name) ?? (isReplaced(container.name) ? [] : [container]));
    const others = pod.spec?.[list]?.filter(({ name }) => findContainer(put, name) === undefined) ?? [];
    const all = [...put, ...others];
    return [list, all.length === 0 && list === "initContainers" ? undefined : all] as const;
  });
  return withSpec(pod, Object.fromEntries(lists));
}

/** A render that fails on an annotation which must hold JSON and does not is for the pod's author to mend. */
function render({ injector, pod }: Injection, name: string, data: Readonly<Record<string, unknown>>): JsonObject {
  try {
    return injector.templates.render(name, data);
  } catch (error) {
    checkJsonAnnotations(pod.metadata?.annotations ?? {}, error);
    throw error;
  }
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
