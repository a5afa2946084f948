// What a pod's own record says about an earlier injection, reduced to what can be trusted.

import type { Pod } from "../../kube/pod-types.ts";
import { annotationKeys, containerNames } from "../keys.ts";
import { type Overrides, readOverrides } from "../overrides.ts";
import { findContainer } from "../pod-edit.ts";
import { adoptedNote, type InjectionStatus, nothingInjected, readStatus } from "./injection-status.ts";

/** An earlier injection, as far as the pod records it. */
export interface EarlierInjection extends InjectionStatus {
  /** False for a pod that has the overrides annotation but no status. */
  readonly hasStatus: boolean;
  /** Containers of the author that the injection merged with injected ones, as they were before. */
  readonly overrides: Overrides;
  /** True for a proxy of an older injector that is kept as if the author had written it. */
  readonly isAdopted: boolean;
  /** The mesh's status port, to which an injection points Prometheus. */
  readonly meshStatusPort: number;
}

export interface RecordOptions {
  readonly meshStatusPort: number;
  /** Whether the proxy will be a native sidecar. */
  readonly nativeSidecars: boolean;
  /** True for a container or volume name that some template of the release spells out. */
  readonly isInjectable: (name: string) => boolean;
}

/** The record of a pod that was never injected. */
export const neverInjected: EarlierInjection = {
  ...nothingInjected,
  hasStatus: false,
  overrides: {},
  isAdopted: false,
  meshStatusPort: 0,
};

/**
 * The earlier injection that the pod records, or `undefined` if it records none.
 *
 * A status that is whole is followed to the letter. From any other status, only names count that a template of this
 * release could have injected, so a forged status costs its author nothing. A damaged status counts as naming all
 * containers that a template could have injected.
 *
 * @throws OutriggerError `annotation-invalid` for an overrides annotation that no injection writes
 */
export function readEarlierInjection(pod: Pod, options: RecordOptions): EarlierInjection | undefined {
  const status = readStatus(pod);
  if (status === undefined && pod.metadata?.annotations?.[annotationKeys.overrides] === undefined) return undefined;
  const trusted = trustedPart(status ?? nothingInjected, pod, options.isInjectable);
  return {
    ...trusted,
    hasStatus: status !== undefined,
    overrides: readOverrides(pod),
    isAdopted: isAdopted(pod, trusted, options.nativeSidecars),
    meshStatusPort: options.meshStatusPort,
  };
}

function trustedPart(status: InjectionStatus, pod: Pod, isInjectable: (name: string) => boolean): InjectionStatus {
  if (status.trust === "whole") return status;
  const { spec } = pod;
  const isDamaged = status.trust === "damaged";
  const injectable = (listed: readonly string[], present: readonly { readonly name: string }[] | undefined) =>
    (isDamaged ? (present ?? []).map(({ name }) => name) : listed).filter(isInjectable);
  return {
    ...status,
    initContainers: injectable(status.initContainers, spec?.initContainers),
    containers: injectable(status.containers, spec?.containers),
    volumes: injectable(status.volumes, spec?.volumes),
  };
}

/**
 * Injectors that did not yet mark pods with their revision put the proxy among the containers. Where the proxy becomes
 * a native sidecar now, the reference takes that container for the author's. Outrigger does the same and records it in
 * the status, so that later injections decide the same way.
 */
function isAdopted(pod: Pod, status: InjectionStatus, nativeSidecars: boolean): boolean {
  if (status.notes.includes(adoptedNote)) return true;
  const isUnmarked = pod.metadata?.annotations?.[annotationKeys.revision] === undefined;
  const moves = nativeSidecars && status.containers.includes(containerNames.proxy);
  if (!isUnmarked || !moves) return false;
  // Outrigger's own status would have the note: a template without a proxy named the author's container.
  if (status.trust === "whole") return false;
  const proxy = findContainer(pod.spec?.containers, containerNames.proxy);
  return proxy?.env?.some(({ name }) => name === "PROXY_CONFIG") ?? false;
}
