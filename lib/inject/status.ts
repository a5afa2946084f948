// The status annotation: what an injection put into a pod, by name, so that the next one can take it out again.

import { isObject } from "../json.ts";
import type { Pod, PodSpec } from "../kube/pod-types.ts";
import { annotationKeys } from "./keys.ts";

export interface InjectionStatus {
  readonly initContainers: readonly string[];
  readonly containers: readonly string[];
  readonly volumes: readonly string[];
  readonly imagePullSecrets: readonly string[];
  /** True where the proxy of an older injector was kept as if its author had written it. */
  readonly adopted: boolean;
}

/** The status of a pod that nothing was injected into. */
export const nothingInjected: InjectionStatus = { initContainers: [], containers: [], volumes: [], imagePullSecrets: [], adopted: false };

/**
 * The status of an earlier injection, or undefined if there was none. A status that is damaged (not JSON, wrong types,
 * names that are no names) counts as one that names nothing: any author can write this annotation, so it is a hint and
 * never a reason to fail.
 */
export function readStatus(pod: Pod): InjectionStatus | undefined {
  const text = pod.metadata?.annotations?.[annotationKeys.status];
  if (text === undefined) return undefined;
  const status = parsed(text);
  if (!isObject(status)) return nothingInjected;
  return {
    initContainers: names(status["initContainers"]),
    containers: names(status["containers"]),
    volumes: names(status["volumes"]),
    imagePullSecrets: names(status["imagePullSecrets"]),
    adopted: Array.isArray(status["adopted"]),
  };
}

/**
 * The annotation's text for an injected overlay. Shape and order are Istio's, so that its tools read it; `adopted` is
 * there, as an empty list, only on pods whose proxy was adopted.
 */
export function formatStatus(overlay: Partial<PodSpec>, revision: string, adopted: boolean): string {
  return JSON.stringify({
    initContainers: namesOf(overlay.initContainers),
    containers: namesOf(overlay.containers),
    volumes: namesOf(overlay.volumes),
    imagePullSecrets: namesOf(overlay.imagePullSecrets),
    revision: revision === "" ? "default" : revision,
    ...(adopted && { adopted: [] }),
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function names(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

function namesOf(list: readonly { readonly name?: string | undefined }[] | undefined): readonly (string | undefined)[] | null {
  return list === undefined || list.length === 0 ? null : list.map((item) => item.name);
}
