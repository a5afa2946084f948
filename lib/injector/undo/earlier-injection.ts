// What a pod's own record says about an earlier injection, reduced to what can be trusted.

import { type InjectionKeys, metadataKeys } from "@outrigger/base";
import type { Container, Pod } from "@outrigger/pod";
import { containerNames } from "../data-plane.ts";
import { findContainer, findContainerInPod } from "../pod-edit.ts";
import { adoptedNote, type InjectionStatus, nothingInjected, overridesNote, statusAt } from "./injection-status.ts";
import { type Overrides, readOverrides } from "./read-overrides.ts";

/** An earlier injection, as far as the pod records it. */
export interface EarlierInjection extends InjectionStatus {
  /** Containers of the author that the injection merged with injected ones, as they were before. */
  readonly overrides: Overrides;
  /** True for a proxy of an older injector that is kept as if the author had written it. */
  readonly isAdopted: boolean;
  /** The mesh's status port, to which an injection points Prometheus. */
  readonly meshStatusPort: number;
}

export interface RecordOptions {
  readonly meshStatusPort: number;
  readonly nativeSidecars: boolean;
  /** True for a container or volume name that some template of the release spells out. */
  readonly isInjectable: (name: string) => boolean;
  /** Of the release: injections that other keys record are another injector's. */
  readonly keys: InjectionKeys;
  readonly isOfMesh: boolean;
}

/** What a loaded release says of records. */
interface ReleaseOfRecord extends Pick<RecordOptions, "isInjectable" | "keys" | "isOfMesh"> {
  readonly meshConfig: { readonly defaultConfig: { readonly statusPort: number } };
}

/** How a release reads the record of a pod that it is asked to inject. */
export function recordOptions(
  { meshConfig, isInjectable, keys, isOfMesh }: ReleaseOfRecord,
  nativeSidecars: boolean,
): RecordOptions {
  return { meshStatusPort: meshConfig.defaultConfig.statusPort, nativeSidecars, isInjectable, keys, isOfMesh };
}

export const neverInjected: EarlierInjection = {
  ...nothingInjected,
  overrides: {},
  isAdopted: false,
  meshStatusPort: 0,
};

/**
 * The earlier injection that the pod records, or `undefined` if there was none: without a status, or with a status whose
 * containers the pod does not have (annotations that were copied from an injected pod).
 *
 * | status                                             | what counts as injected                                       |
 * |----------------------------------------------------|---------------------------------------------------------------|
 * | whole                                              | what it names                                                 |
 * | listed: without checksum                           | what it names, if a template of this release has that name    |
 * | damaged, and the pod has a proxy that was rendered | every container that has the name of a template's container   |
 * | damaged otherwise                                  | nothing                                                       |
 *
 * A whole status whose overrides are missing or changed counts as damaged.
 *
 * @throws OutriggerError `annotation-invalid` for an overrides annotation that no injection writes
 */
export function readEarlierInjection(pod: Pod, options: RecordOptions): EarlierInjection | undefined {
  const { keys } = options;
  const read = statusAt(pod, keys.status);
  if (read === undefined) return undefined;
  const status = isContradicted(read, pod, keys.overrides) ? { ...nothingInjected, trust: "damaged" as const } : read;
  const isDamaged = status.trust === "damaged";
  if (isDamaged ? !isRenderedProxy(findContainerInPod(pod, containerNames.proxy)) : isCopied(status, pod))
    return undefined;
  const trusted = trustedPart(status, pod, options.isInjectable);
  return {
    ...trusted,
    // An injector that writes no checksum writes no notes either.
    overrides:
      trusted.trust === "listed" || notedOverrides(trusted) !== undefined ? readOverrides(pod, keys.overrides) : {},
    isAdopted: isAdopted(pod, trusted, options.nativeSidecars),
    meshStatusPort: options.meshStatusPort,
  };
}

function notedOverrides({ notes }: InjectionStatus): string | undefined {
  return notes.find((note) => note.startsWith(overridesNote("")));
}

function isContradicted(status: InjectionStatus, pod: Pod, key: string): boolean {
  const noted = notedOverrides(status);
  if (status.trust !== "whole" || noted === undefined) return false;
  const text = pod.metadata?.annotations?.[key];
  return typeof text !== "string" || noted !== overridesNote(text);
}

/** An injection leaves at least one of its containers in the pod. */
function isCopied({ containers, initContainers }: InjectionStatus, { spec }: Pod): boolean {
  if (containers.length + initContainers.length === 0) return false;
  const isPresent = (names: readonly string[], list: readonly Container[] | undefined) => {
    const listed = new Set(names);
    return list?.some(({ name }) => listed.has(name)) ?? false;
  };
  return !isPresent(containers, spec?.containers) && !isPresent(initContainers, spec?.initContainers);
}

/** Every template renders this variable; authors who customise the proxy have no reason to set it. */
export function isRenderedProxy(proxy: Container | undefined): boolean {
  return proxy?.env?.some(({ name }) => name === "PROXY_CONFIG") ?? false;
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
  const isUnmarked = pod.metadata?.annotations?.[metadataKeys.revision] === undefined;
  const moves = nativeSidecars && status.containers.includes(containerNames.proxy);
  if (!isUnmarked || !moves) return false;
  // Outrigger's own status would have the note: a template without a proxy named the author's container.
  if (status.trust === "whole") return false;
  return isRenderedProxy(findContainer(pod.spec?.containers, containerNames.proxy));
}
