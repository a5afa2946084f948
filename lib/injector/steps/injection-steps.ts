// What an injection does to a pod, in order: run forwards to inject, backwards to restore the pod of its author.

import { ownError } from "@outrigger/base";
import type { Container, Pod } from "@outrigger/pod";
import { containerNames } from "../data-plane.ts";
import type { InjectionStep, Injector, RenderedInjection } from "../injection.ts";
import { overlayMerge } from "../merge/merge-overlays.ts";
import { containerOverrides } from "../merge/overrides.ts";
import { editContainers, findContainer, hasProxy, withMetadata, withoutKeys } from "../pod-edit.ts";
import { orderNotes } from "../undo/container-order.ts";
import {
  type EarlierInjection,
  neverInjected,
  type RecordOptions,
  readEarlierInjection,
  recordOptions,
} from "../undo/earlier-injection.ts";
import { remainderNotes, withRemainder } from "../undo/remainder.ts";
import { appProbes } from "./app-probes.ts";
import { clusterEnvironment } from "./cluster-environment.ts";
import { injectionRecord } from "./injection-record.ts";
import { prometheusMerge } from "./prometheus-merge.ts";
import { platformUserLeft, proxyUserAlignment } from "./proxy-user.ts";
import { securePort } from "./secure-port.ts";
import { volumeReconciliation, volumeSources, withoutEarlierVolumes } from "./volumes.ts";

/**
 * The steps in their order, each by the name that it is credited under. Each step sees what the steps before it made.
 */
export const namedSteps = {
  "template-merge": overlayMerge,
  "container-overrides": containerOverrides,
  "proxy-user": proxyUserAlignment,
  "cluster-environment": clusterEnvironment,
  "prometheus-merge": prometheusMerge,
  "secure-port": securePort,
  "app-probes": appProbes,
  "container-order": { apply: orderContainers },
  "volume-sources": volumeSources,
  "volume-reconciliation": volumeReconciliation,
  "platform-user": platformUserLeft,
  "injection-record": injectionRecord(remainderByUndoing),
} as const satisfies Readonly<Record<string, InjectionStep>>;

export type StepName = keyof typeof namedSteps;

const ALL: readonly InjectionStep[] = Object.values(namedSteps);

/** The steps that change what belongs to a proxy, of this injection or of another one. */
const OF_MESH: readonly InjectionStep[] = [clusterEnvironment, prometheusMerge, securePort, appProbes];

const WITHOUT_MESH = ALL.filter((step) => !OF_MESH.includes(step));

/** The steps of a release: without those of a mesh where it has no part in one. */
export function injectionSteps({ isOfMesh }: Pick<Injector, "isOfMesh">): readonly InjectionStep[] {
  return isOfMesh ? ALL : WITHOUT_MESH;
}

/**
 * The steps backwards: an injection then gives the same result the first time and the tenth, whatever the configuration was in
 * between. The pod is as its author wrote it, except for volumes of an earlier injection: those are reconciled after merging, when
 * the new ones are known (volumes.ts). A pod without annotations of an injection is returned as it is.
 *
 * @throws OutriggerError `annotation-invalid` for an overrides annotation that no injection writes
 */
export function undoInjection(pod: Pod, options: RecordOptions): { pod: Pod; earlier: EarlierInjection } {
  const earlier = readEarlierInjection(pod, options);
  if (earlier === undefined) return { pod: withoutRecord(pod, options), earlier: neverInjected };
  const { keys } = options;
  const restored = injectionSteps(options).reduceRight(
    (current, step) => step.undo?.(current, earlier) ?? current,
    pod,
  );
  return { pod: withRemainder(withoutRecord(restored, options), earlier.notes, keys.status), earlier };
}

/**
 * Notes about what undoing an injected pod does not give back as its author wrote it: `undoInjection` follows them last. What an API
 * server would not take from the author cannot be read back from the record: the check of the pod says so, and whose it is.
 */
function remainderByUndoing(pod: Pod, injection: RenderedInjection): readonly string[] {
  try {
    const undone = undoInjection(pod, recordOptions(injection.injector, injection.nativeSidecars));
    if (undone.earlier === neverInjected) return [];
    const [restored, author] = [undone, injection].map(withoutEarlierVolumes) as [Pod, Pod];
    return [...remainderNotes(restored, author), ...orderNotes(restored, author, ["volumes"])];
  } catch (error) {
    ownError(error);
    return [];
  }
}

/** Removes the annotations that only injections write, so they never belong to the author's pod. */
function withoutRecord(pod: Pod, { keys }: RecordOptions): Pod {
  const annotations = pod.metadata?.annotations;
  if (!annotations) return pod;
  const kept = withoutKeys(annotations, [keys.status, keys.overrides]);
  return kept === annotations ? pod : withMetadata(pod, { annotations: kept });
}

const { proxy, init, validation, coreDump } = containerNames;

/**
 * The order in which containers start.
 *
 * | proxy is              | init containers                                             | containers             |
 * |-----------------------|-------------------------------------------------------------|------------------------|
 * | a native sidecar      | init, validation, proxy, enable-core-dump, the author's     | the author's           |
 * | a container           | validation, the author's, init, enable-core-dump            | the author's, proxy    |
 * | a container, first    | validation, the author's, init, enable-core-dump            | proxy, the author's    |
 *
 * A native proxy starts before the author's init containers, so that they are in the mesh. Otherwise the redirection
 * starts after them, so that it does not cut them off. The proxy is last so that `kubectl exec` picks the application.
 * Without a proxy there is nothing to arrange; the reference arranges its other containers even so.
 *
 * It keeps the author's containers in their own order, so there is nothing to undo once the injected ones are removed.
 */
function orderContainers(pod: Pod, { injector, proxyConfig }: RenderedInjection): Pod {
  const { compatibility } = injector.config;
  if (compatibility === undefined && !(injector.isOfMesh && hasProxy(pod))) return pod;
  const arranged = compatibility === undefined ? arrangedAll : arrangedLast;
  const isWaitedFor = proxyConfig.holdApplicationUntilProxyStarts === true || injector.settings.holdApplication;
  const ordered = editContainers(pod, "containers", (list) =>
    isWaitedFor ? arranged(list, [proxy], []) : arranged(list, [], [proxy]),
  );
  const isNative = findContainer(pod.spec?.initContainers, proxy) !== undefined;
  return editContainers(ordered, "initContainers", (list) =>
    isNative ? arranged(list, [init, validation, proxy, coreDump], []) : arranged(list, [validation], [init, coreDump]),
  );
}

/** Arranges containers as the reference does: of several containers of one of the names, the last one stays. */
function arrangedLast(containers: readonly Container[], first: readonly string[], last: readonly string[]) {
  const names = [...first, ...last];
  const isLast = ({ name }: Container, at: number) =>
    !names.includes(name) || containers.findLastIndex((container) => container.name === name) === at;
  return arrangedAll(containers.filter(isLast), first, last);
}

function arrangedAll(containers: readonly Container[], first: readonly string[], last: readonly string[]) {
  const named = (names: readonly string[]) =>
    names.flatMap((name) => containers.filter((container) => container.name === name));
  const others = containers.filter(({ name }) => !first.includes(name) && !last.includes(name));
  return [...named(first), ...others, ...named(last)];
}
