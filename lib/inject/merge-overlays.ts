// Renders the selected templates and merges them over the pod, in order.

import type { JsonObject } from "../json.ts";
import type { Container, Pod } from "../kube/pod-types.ts";
import { strategicMerge } from "../kube/strategic-merge.ts";
import type { Injection } from "./injector.ts";
import { checkJsonAnnotations } from "./json-annotations.ts";
import { annotationKeys, containerNames } from "./keys.ts";
import { type ContainerList, findContainer, findContainerInPod, withSpec } from "./pod-edit.ts";
import { templateData } from "./template-data.ts";
import { nothingInjected } from "./undo/injection-status.ts";

export interface MergedOverlays {
  readonly merged: Pod;
  /** All overlays merged with each other: what was injected, and nothing of the pod. */
  readonly overlay: Pod;
}

export function mergeOverlays(injection: Injection, templates: readonly string[]): MergedOverlays {
  const data = templateData(injection);
  const rendered = templates.map((name) => render(injection, name, data));
  let merged = withDoubtful(injection, rendered);
  let overlay: JsonObject = emptyPod;
  for (const each of rendered) {
    const part = withContainersWhereTheyAre(each, overlay, injection.pod);
    overlay = strategicMerge(overlay, part);
    merged = strategicMerge(withProxyWhereOverlayHasIt(merged, overlay, injection.nativeSidecars), part);
  }
  return { merged, overlay };
}

/** What every pod has, so that a directive in there finds something to act on. */
const emptyPod: JsonObject = { metadata: {}, spec: {} };

/**
 * A template that adds to every container of the pod adds to the author's container for the proxy too. Where an earlier
 * template made that a native sidecar, the addition goes there: a name in both lists would be refused. What a template
 * says of the proxy by itself stays where it says it, as in the reference.
 */
function withContainersWhereTheyAre(part: JsonObject, overlay: Pod, author: Pod): JsonObject {
  const { spec }: Pod = part;
  const isInit = ({ name }: Container) =>
    findContainerInPod(author, name) !== undefined &&
    findContainer(overlay.spec?.initContainers, name) !== undefined &&
    findContainer(overlay.spec?.containers, name) === undefined;
  const moved = spec?.containers?.filter(isInit) ?? [];
  if (spec === undefined || moved.length === 0) return part;
  return withSpec(part, {
    containers: spec.containers.filter((container) => !isInit(container)),
    initContainers: [...(spec.initContainers ?? []), ...moved],
  });
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
    const put = found.flatMap(
      (container) => findContainer(pod.spec?.[list], container.name) ?? (isReplaced(container.name) ? [] : [container]),
    );
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
 * The author's container for the proxy is moved to the list in which the overlay has the proxy, so that the two become
 * one: authors customise it among the containers, and a native sidecar is an init container.
 */
function withProxyWhereOverlayHasIt(pod: Pod, overlay: Pod, nativeSidecars: boolean): Pod {
  const { proxy } = containerNames;
  const isIn = (whose: Pod, list: ContainerList) => findContainer(whose.spec?.[list], proxy) !== undefined;
  const isNative = isIn(overlay, "initContainers");
  if (isNative && wantsNativeSidecar(pod, nativeSidecars)) return withMoved(pod, proxy, "containers", "initContainers");
  const isOnlyInit = isIn(pod, "initContainers") && !isIn(pod, "containers");
  const moves = isOnlyInit && !isNative && isIn(overlay, "containers");
  return moves ? withMoved(pod, proxy, "initContainers", "containers") : pod;
}

function withMoved(pod: Pod, name: string, from: ContainerList, to: ContainerList): Pod {
  const moved = findContainer(pod.spec?.[from], name);
  if (moved === undefined) return pod;
  const left = pod.spec?.[from]?.filter((container) => container !== moved) ?? [];
  return withSpec(pod, {
    [from]: left.length === 0 && from === "initContainers" ? undefined : left,
    [to]: [...(pod.spec?.[to] ?? []), moved],
  });
}

/** Whether the proxy is to be a native sidecar: the pod's annotation wins over the setting. */
export function wantsNativeSidecar(pod: Pod, setting: boolean): boolean {
  const wish = pod.metadata?.annotations?.[annotationKeys.nativeSidecar];
  return wish === undefined || wish === "" ? setting : wish !== "false";
}
