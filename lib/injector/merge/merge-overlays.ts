// Selects the templates of a pod, renders them to overlays and combines these; merges the overlays into the pod, in order, and takes
// injected containers out of an injected pod again.

import { isObject, type JsonObject, metadataKeys, OutriggerError } from "@outrigger/base";
import { type Container, type Pod, strategicMerge } from "@outrigger/pod";
import { containerNames } from "../data-plane.ts";
import type { Injection, InjectionStep, Overlay, RenderedInjection } from "../injection.ts";
import { type ContainerList, findContainer, firstByName, hasProxy, withSpec } from "../pod-edit.ts";
import { templateData } from "../render/template-data.ts";
import { withNotedOrder } from "../undo/container-order.ts";
import { type EarlierInjection, neverInjected } from "../undo/earlier-injection.ts";
import { withProxyInPlace } from "../undo/injection-notes.ts";
import { withoutRestartPolicy } from "./overrides.ts";

export const overlayMerge: InjectionStep = { apply: mergeOverlays, undo: removeInjectedContainers };

/**
 * Whether the proxy is to be a native sidecar: the pod's annotation overrides the setting. What is neither `true` nor `false`
 * counts as true in the templates; where the reference merges, it counts as the setting.
 */
export function wantsNativeSidecar(pod: Pod, setting: boolean, compatibility?: "reference"): boolean {
  const choice = pod.metadata?.annotations?.[metadataKeys.nativeSidecar];
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
  if (isEmptied && injection.injector.config.compatibility === undefined) {
    // The API server rejects a pod without containers, with a message that does not mention the proxy.
    const message = `The pod's only container is ${containerNames.proxy}, which becomes a native sidecar: add a container, or remove annotation ${metadataKeys.nativeSidecar}`;
    throw new OutriggerError("pod-invalid", message, { path: "spec.containers" });
  }
  return merged;
}

/**
 * Puts containers back that no template renders now. Without a whole status, a container is removed because of its name
 * alone, and such a container may be the author's.
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
  const isNative = hasProxy(overlay, "initContainers");
  // The reference leaves the author's container where it is if the pod does not ask for a native sidecar.
  const follows = compatibility === undefined || wantsNativeSidecar(pod, nativeSidecars, compatibility);
  if (isNative && follows) return withMoved(pod, proxy, "containers", "initContainers");
  if (compatibility === "reference") return pod;
  const isOnlyInit = hasProxy(pod, "initContainers") && !hasProxy(pod, "containers");
  const moves = isOnlyInit && !isNative && hasProxy(overlay, "containers");
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

/**
 * Removes the containers that an earlier injection added. Overridden containers stay, because undoing the overrides has
 * already restored them, and so does an adopted proxy.
 */
function removeInjectedContainers(pod: Pod, earlier: EarlierInjection): Pod {
  const { overrides, isAdopted } = earlier;
  const kept = (list: ContainerList) => {
    const [removed, restored] = [new Set(earlier[list]), firstByName(overrides[list])];
    return pod.spec?.[list]?.filter(
      ({ name }) => !removed.has(name) || (isAdopted && name === containerNames.proxy) || restored.has(name),
    );
  };
  const [containers, initContainers] = [kept("containers"), kept("initContainers")];
  // An author may write an empty list, or null, which stays.
  const isEmptied = initContainers?.length === 0 && pod.spec?.initContainers?.length !== 0;
  const restored = withSpec(pod, {
    ...(containers && { containers }),
    ...(initContainers && { initContainers: isEmptied ? undefined : initContainers }),
  });
  const isInjected = [...earlier.containers, ...earlier.initContainers].includes(containerNames.proxy);
  return withProxyInPlace(withNotedOrder(restored, earlier.notes), earlier.notes, isInjected);
}

/**
 * One overlay for each template, in order.
 *
 * @throws OutriggerError `template-render` or `overlay-invalid`
 */
export function renderOverlays(injection: Injection, templates: readonly string[]): readonly Overlay[] {
  const data = templateData(injection);
  const rendered = templates.map((name) => injection.injector.templates.render(name, data));
  const isSafe = injection.injector.config.compatibility === undefined;
  const isNative = rendered.some((each) => hasProxy(each, "initContainers"));
  // A template may also name the proxy because it adds to every container of the author's.
  const isAuthored = hasProxy(injection.pod);
  const overlays: Overlay[] = [];
  let combined: JsonObject = emptyPod;
  for (const [at, each] of rendered.entries()) {
    const isMisplaced = isSafe && isNative && !isAuthored && hasProxy(each, "containers");
    if (!isSafe) assertOrderable(each, combined);
    const part = isSafe ? withContainersInTheirList(each, combined, injection.pod, isNative) : each;
    combined = combined === emptyPod ? mergedAlone(part) : strategicMerge(combined, part);
    overlays.push({ part, combined, misplaced: isMisplaced ? (templates[at] as string) : undefined });
  }
  return overlays;
}

/** The overlay merged into nothing: once for a constant of the release, and then it is one too. */
function mergedAlone(part: JsonObject): JsonObject {
  const known = alone.get(part);
  if (known !== undefined) return known;
  const merged = strategicMerge(emptyPod, part);
  if (Object.isFrozen(part)) alone.set(part, merged);
  return merged;
}

const alone = new WeakMap<JsonObject, JsonObject>();

/** A pod with the objects that every pod has, so that a directive in an overlay finds something to act on. */
export const emptyPod: JsonObject = { metadata: {}, spec: {} };

/**
 * Moves containers to the list in which the overlays have them: the API server rejects a name that is in both lists.
 *
 * A template that changes the proxy among the containers changes the native sidecar, if any template renders one. A
 * template that adds to every container of the pod also adds to a container of the author's that an earlier template made
 * an init container.
 */
function withContainersInTheirList(part: JsonObject, combined: Pod, author: Pod, isNative: boolean): JsonObject {
  const { spec }: Pod = part;
  if (spec?.containers === undefined) return part;
  const authored = new Set([...namesIn(author, "containers"), ...namesIn(author, "initContainers")]);
  const inits = new Set(namesIn(combined, "initContainers"));
  const mains = new Set(namesIn(combined, "containers"));
  const isInit = ({ name }: Container) =>
    (isNative && name === containerNames.proxy) || (authored.has(name) && inits.has(name) && !mains.has(name));
  const moved = spec.containers.filter(isInit);
  if (moved.length === 0) return part;
  const containers = spec.containers.filter((container) => !isInit(container));
  const ownInits = new Set(namesIn(part, "initContainers"));
  const isAlone = moved.every(({ name }) => !ownInits.has(name));
  if (isAlone) return withSpec(part, { containers, initContainers: [...(spec.initContainers ?? []), ...moved] });
  return strategicMerge(withSpec(part, { containers }), { spec: { initContainers: moved } });
}

/**
 * Rejects an overlay that orders containers when there are none. The reference does too: it merges the overlays into a
 * pod whose list of containers is null.
 */
function assertOrderable(part: JsonObject, { spec }: Pod): void {
  if (!isObject(part["spec"]) || part["spec"]["$setElementOrder/containers"] === undefined || spec?.containers) return;
  const message =
    'Cannot merge the overlay\'s spec["$setElementOrder/containers"]: no template before it has containers';
  throw new OutriggerError("overlay-invalid", message);
}

function namesIn({ spec }: Pod, list: ContainerList): readonly string[] {
  return spec?.[list]?.map(({ name }) => name) ?? [];
}
