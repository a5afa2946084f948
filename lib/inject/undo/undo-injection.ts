// Takes an earlier injection out of a pod again, as far as the pod still tells what it was: injecting is then the same
// whether the pod comes for the first time or the tenth, and whatever the configuration was in between.

import { isObject } from "../../json.ts";
import type { Container, Pod } from "../../kube/pod-types.ts";
import { annotationKeys, containerNames } from "../keys.ts";
import { autoImage, readOverrides } from "../overrides.ts";
import { editContainer, findContainer, findContainerInPod, withMetadata, withoutKeys, withSpec } from "../pod-edit.ts";
import { proberVariable, restoreProbes } from "../post-process/app-probes.ts";
import { isPrometheusMerged, restorePrometheusAnnotations, scrapeVariable } from "../post-process/prometheus-merge.ts";
import { restoreSecurePort } from "../post-process/secure-port.ts";
import { withoutNoted, withProxyInPlace } from "./injection-notes.ts";
import { adoptedNote, type InjectionStatus, nothingInjected, prometheusNote, readStatus } from "./injection-status.ts";

export interface RestoreOptions {
  /** The port on which the proxy reports: what an earlier injection pointed Prometheus at. */
  readonly statusPort: number;
  /** Whether the proxy will be a native sidecar. */
  readonly nativeSidecars: boolean;
  /** True for a container or volume name that some template of the release spells out. */
  readonly isInjectable: (name: string) => boolean;
}

export interface Restored {
  readonly pod: Pod;
  /** True where the proxy of an older injector is kept as if the author had written it. */
  readonly adopted: boolean;
  readonly earlier: InjectionStatus;
}

/**
 * The pod as its author wrote it, but for the volumes of an earlier injection, which are reconciled once the new ones
 * are known (post-process/reconcile-volumes.ts); the pod itself if there was none.
 *
 * A status that is whole is followed. Of any other, only names count that a template of this release could have put
 * there, so a forged one costs its author nothing; and a damaged one counts as naming all of those.
 *
 * Throws `annotation-invalid` for an overrides annotation that no injection wrote.
 */
export function restore(pod: Pod, options: RestoreOptions): Restored {
  const status = readStatus(pod);
  if (status === undefined && pod.metadata?.annotations?.[annotationKeys.overrides] === undefined) {
    return { pod, adopted: false, earlier: nothingInjected };
  }
  const proxy = findContainerInPod(pod, containerNames.proxy);
  const earlier = believed(status ?? nothingInjected, pod, options.isInjectable);
  const adopted = isAdopted(pod, earlier, options);
  let restored = withoutInjected(pod, adopted ? withoutProxy(earlier) : earlier);
  if (status !== undefined) restored = withoutRecord(restored, earlier);
  restored = restoreProbes(restored, variable(proxy, proberVariable), options.statusPort);
  const isMerged =
    earlier.trust === "whole"
      ? earlier.notes.includes(prometheusNote)
      : isPrometheusMerged(restored, options.statusPort);
  if (isMerged) restored = restorePrometheusAnnotations(restored, variable(proxy, scrapeVariable));
  restored = restoreSecurePort(restored, proxy);
  return { pod: withoutTellings(restored, proxy), adopted, earlier };
}

/** The status reduced to what may be taken out. */
function believed(status: InjectionStatus, pod: Pod, isInjectable: (name: string) => boolean): InjectionStatus {
  if (status.trust === "whole") return status;
  const { spec } = pod;
  const isDamaged = status.trust === "damaged";
  const known = (listed: readonly string[], present: readonly { readonly name: string }[] | undefined) =>
    (isDamaged ? (present ?? []).map(({ name }) => name) : listed).filter(isInjectable);
  return {
    ...status,
    initContainers: known(status.initContainers, spec?.initContainers),
    containers: known(status.containers, spec?.containers),
    volumes: known(status.volumes, spec?.volumes),
  };
}

function withoutProxy(status: InjectionStatus): InjectionStatus {
  const others = (names: readonly string[]) => names.filter((name) => name !== containerNames.proxy);
  return { ...status, containers: others(status.containers), initContainers: others(status.initContainers) };
}

/**
 * What records an injection goes with it; what it added goes by its record. Overrides that name no container are the
 * author's own text: an injection writes none.
 */
function withoutRecord(pod: Pod, { notes }: InjectionStatus): Pod {
  const restored = withoutNoted(pod, notes);
  const isOverridden = Object.values(readOverrides(pod)).some((list) => list.length > 0);
  const records = [annotationKeys.status, ...(isOverridden ? [annotationKeys.overrides] : [])];
  return withMetadata(restored, { annotations: withoutKeys(restored.metadata?.annotations ?? {}, records) });
}

/**
 * Injectors that did not yet mark pods with their revision put the proxy among the containers. Where it becomes a
 * native sidecar now, the reference takes that container for the author's; so does this, once and for all: the status
 * says so to the next injection.
 */
function isAdopted(pod: Pod, status: InjectionStatus, { nativeSidecars }: RestoreOptions): boolean {
  if (status.notes.includes(adoptedNote)) return true;
  const isUnmarked = pod.metadata?.annotations?.[annotationKeys.revision] === undefined;
  const moves = nativeSidecars && status.containers.includes(containerNames.proxy);
  if (!isUnmarked || !moves) return false;
  // A status of Outrigger's own would say so: it was some other template that named the author's container.
  if (status.trust === "whole") return false;
  const proxy = findContainer(pod.spec?.containers, containerNames.proxy);
  return proxy?.env?.some(({ name }) => name === "PROXY_CONFIG") ?? false;
}

/** A proxy that stays in the pod loses what its agent was told of the application: it is told again. */
function withoutTellings(pod: Pod, injected: Container | undefined): Pod {
  return editContainer(pod, containerNames.proxy, (proxy) => {
    if (proxy !== injected) return proxy;
    const env = proxy.env?.filter(({ name }) => name !== proberVariable && name !== scrapeVariable);
    return env === undefined || env.length === proxy.env?.length ? proxy : { ...proxy, env };
  });
}

function withoutInjected(pod: Pod, status: InjectionStatus): Pod {
  const overrides = readOverrides(pod);
  const containers = authored(pod.spec?.containers, status.containers, overrides.containers);
  const initContainers = authored(pod.spec?.initContainers, status.initContainers, overrides.initContainers);
  const restored = withSpec(pod, {
    ...(containers && { containers }),
    initContainers: initContainers?.length === 0 ? undefined : initContainers,
  });
  return withProxyInPlace(restored, status.notes);
}

/**
 * The list as the author wrote it: overridden containers as they were, in their place; injected ones gone. No list
 * stays none, also where Go wrote null for it.
 */
function authored(
  list: readonly Container[] | undefined,
  injected: readonly string[],
  overrides: readonly Container[] = [],
): readonly Container[] | undefined {
  if (!list && overrides.length === 0) return list;
  const kept = (list ?? []).flatMap((container) => {
    const override = findContainer(overrides, container.name);
    if (override !== undefined) return [withAutoImage(override)];
    return injected.includes(container.name) ? [] : [container];
  });
  const missing = overrides.filter(({ name }) => findContainer(kept, name) === undefined);
  return [...kept, ...missing.map(withAutoImage)];
}

/** An override without an image is one that asked for the injected image. */
function withAutoImage(override: Container): Container {
  return override.image === undefined ? { ...override, image: autoImage } : override;
}

/** The value of an environment variable, if it is a JSON object; an injection appends, so the last one is its own. */
function variable(container: Container | undefined, name: string): Readonly<Record<string, unknown>> {
  const text = container?.env?.findLast((entry) => entry.name === name)?.value;
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
