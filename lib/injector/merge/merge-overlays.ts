// Merges the rendered overlays into the pod, in order, and takes injected containers out of an injected pod again.

import { OutriggerError } from "@outrigger/base";
import { type Container, type Pod, strategicMerge } from "@outrigger/pod";
import type { InjectionStep, RenderedInjection } from "../injection.ts";
import { annotationKeys, containerNames } from "../keys.ts";
import { type ContainerList, findContainer, firstByName, withSpec } from "../pod-edit.ts";
import { type EarlierInjection, neverInjected } from "../undo/earlier-injection.ts";
import { withNotedOrder, withProxyInPlace } from "../undo/injection-notes.ts";
import { withoutRestartPolicy } from "./overrides.ts";

export const overlayMerge: InjectionStep = { apply: mergeOverlays, undo: removeInjectedContainers };

/**
 * Whether the proxy is to be a native sidecar: the pod's annotation overrides the setting. What is neither `true` nor `false`
 * counts as true in the templates; where the reference merges, it counts as the setting.
 */
export function wantsNativeSidecar(pod: Pod, setting: boolean, compatibility?: "reference"): boolean {
  const choice = pod.metadata?.annotations?.[annotationKeys.nativeSidecar];
  if (choice === undefined || choice === "") return setting;
  if (compatibility === "reference" && choice !== "true" && choice !== "false") return setting;
  return choice !== "false";
}

function mergeOverlays(pod: Pod, injection: RenderedInjection): Pod {
  let merged = withUnrenderedContainers(pod, injection);
  for (const { part, combined } of injection.overlays) {
    merged = strategicMerge(withProxyInOverlaysList(merged, combined, injection), part);
  }
  const isEmptied = merged.spec?.containers?.length === 0 && pod.spec?.containers?.length === 1;
  if (isEmptied && injection.injector.config.compatibility === undefined) throw noContainerLeft();
  return merged;
}

/** The API server rejects a pod without containers, with a message that does not mention the proxy. */
function noContainerLeft(): OutriggerError {
  return new OutriggerError(
    "pod-invalid",
    `The pod's only container is ${containerNames.proxy}, which becomes a native sidecar: add a container, or remove annotation ${annotationKeys.nativeSidecar}`,
    { path: "spec.containers" },
  );
}

/**
 * Without a whole status, a container is removed because of its name alone. If no template renders such a container
 * now, it may be the author's, so it is put back.
 */
function withUnrenderedContainers(pod: Pod, { request, earlier, overlays }: RenderedInjection): Pod {
  if (earlier === neverInjected || earlier.trust === "whole") return pod;
  const rendered = new Set(
    overlays.flatMap(({ part }: { readonly part: Pod }) =>
      [...(part.spec?.containers ?? []), ...(part.spec?.initContainers ?? [])].map(({ name }) => name),
    ),
  );
  const lists = (["containers", "initContainers"] as const).map((list) => {
    const present = firstByName(pod.spec?.[list]);
    const kept = (request.pod.spec?.[list] ?? []).flatMap(
      (container) => present.get(container.name) ?? (rendered.has(container.name) ? [] : [container]),
    );
    const names = new Set(kept.map(({ name }) => name));
    const others = pod.spec?.[list]?.filter(({ name }) => !names.has(name)) ?? [];
    const all = [...kept, ...others];
    return [list, all.length === 0 && list === "initContainers" ? pod.spec?.[list] : all] as const;
  });
  return withSpec(pod, Object.fromEntries(lists));
}

/**
 * Moves the author's container for the proxy to the list in which the overlay has the proxy, so that the two merge:
 * authors customise it among the containers, and a native sidecar is an init container.
 */
function withProxyInOverlaysList(pod: Pod, overlay: Pod, { injector, nativeSidecars }: RenderedInjection): Pod {
  const { proxy } = containerNames;
  const { compatibility } = injector.config;
  const isIn = (whose: Pod, list: ContainerList) => findContainer(whose.spec?.[list], proxy) !== undefined;
  const isNative = isIn(overlay, "initContainers");
  // The reference leaves the author's container where it is if the pod does not ask for a native sidecar.
  const follows = compatibility === undefined || wantsNativeSidecar(pod, nativeSidecars, compatibility);
  if (isNative && follows) return withMoved(pod, proxy, "containers", "initContainers");
  if (compatibility === "reference") return pod;
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
    [to]: [...(pod.spec?.[to] ?? []), (to === "containers" ? withoutRestartPolicy(moved) : moved) as Container],
  });
}

/** Overridden containers stay: undoing the overrides has already restored them. An adopted proxy stays too. */
function removeInjectedContainers(pod: Pod, earlier: EarlierInjection): Pod {
  const { overrides, isAdopted } = earlier;
  const without = (
    list: readonly Container[] | undefined,
    injected: readonly string[],
    restored: readonly Container[],
  ) => {
    const [removed, kept] = [new Set(injected), firstByName(restored)];
    return list?.filter(
      ({ name }) => !removed.has(name) || (isAdopted && name === containerNames.proxy) || kept.has(name),
    );
  };
  const containers = without(pod.spec?.containers, earlier.containers, overrides.containers ?? []);
  const initContainers = without(pod.spec?.initContainers, earlier.initContainers, overrides.initContainers ?? []);
  // An author may write an empty list, or null, which stays.
  const isEmptied = initContainers?.length === 0 && pod.spec?.initContainers?.length !== 0;
  const restored = withSpec(pod, {
    ...(containers && { containers }),
    ...(initContainers && { initContainers: isEmptied ? undefined : initContainers }),
  });
  const isInjected = [...earlier.containers, ...earlier.initContainers].includes(containerNames.proxy);
  return withProxyInPlace(withNotedOrder(restored, earlier.notes), earlier.notes, isInjected);
}
