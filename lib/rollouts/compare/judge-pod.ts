// One running pod against the pod that would be made now: the author's pod is restored from it and injected again, by the release
// that is served and by the one that made it. Pure but for the reading of an earlier release.
import { type JsonObject, metadataKeys, OutriggerError, ownError } from "@outrigger/base";
import type { SidecarQuestion } from "@outrigger/cluster";
import {
  decide,
  decodePod,
  type Injector,
  injectPod,
  madeByNote,
  type PodChange,
  podChanges,
  readStatus,
} from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { isInjected } from "@outrigger/webhook";
import { type InPlace, inPlaceOf } from "./in-place.ts";
import { releaseChanges } from "./release-changes.ts";
import { asSent, requestFor } from "./sent-pod.ts";
import type { ServedFor, ServedRelease } from "./served-now.ts";
import { withWritten, writtenSince } from "./written-since.ts";

/** The verdict on a running pod next to one that would be made now. */
export type PodVerdict =
  /** A new pod would be the same; without a sidecar, where none is wanted, `plain`. */
  | { readonly state: "current" | "plain" }
  | { readonly state: "outdated"; readonly changes: readonly PodChange[]; readonly inPlace: InPlace }
  /** Injected by another injector, with what would change. */
  | { readonly state: "foreign"; readonly by: string; readonly changes: readonly PodChange[] }
  /** The pod lacks a sidecar that a new pod would get. */
  | { readonly state: "missing" }
  /** The pod has a sidecar that a new pod would not get. */
  | { readonly state: "unwanted" }
  /** A new pod would be denied, or its injection would fail: a restart would not come back. */
  | { readonly state: "refused"; readonly why: string };

/** Every state, the gravest first. */
export const POD_STATES = ["refused", "missing", "unwanted", "outdated", "foreign", "current", "plain"] as const;

export interface Judged {
  readonly verdict: PodVerdict;
  /** The release that made the pod, by its record. */
  readonly release?: string;
  /** The release that would make it now, and the channel that serves it. */
  readonly served?: string;
  readonly channel?: string;
}

/** The releases that a judgement of pods needs. */
export interface JudgePorts {
  readonly servedFor: ServedFor;
  /** The other deployment whose webhook is called for a pod. Left out, there is none. */
  readonly servedElsewhere?: (pod: Pod) => string | undefined;
  /**
   * The facts that decide whether a pod should have a sidecar. If they are left out, nobody asks why a pod has none.
   */
  readonly sidecars?: SidecarQuestion;
  /** An earlier release, undefined where nothing is kept of it. */
  readonly releaseOf: (digest: string) => Promise<Injector | undefined>;
}

/** @param object the pod, as the API server returns it */
export async function judgePod(object: JsonObject, ports: JudgePorts): Promise<Judged> {
  const pod = asSent(decodePod(object, "encoded"));
  const made = readStatus(pod)?.madeBy;
  const served = ports.servedFor(pod);
  const now = injectedNow(pod, served);
  const other = now === undefined && isInjected(pod) ? ports.servedElsewhere?.(pod) : undefined;
  const foreign = { state: "foreign", by: `the deployment "${other}"`, changes: [] } as const;
  const verdict = other === undefined ? await verdictOf(pod, now, labelOf(served), ports.releaseOf) : foreign;
  return {
    verdict,
    ...(made && { release: made.release }),
    ...(now && { served: now.served.release, channel: now.served.channel }),
  };
}

/** The label of the config that serves a pod: beside it, what others inject is no injection of ours. */
function labelOf([first]: readonly ServedRelease[]): string | undefined {
  return first?.injector.config.injectionLabel;
}

async function verdictOf(
  pod: Pod,
  now: Outcome | undefined,
  label: string | undefined,
  releaseOf: JudgePorts["releaseOf"],
): Promise<PodVerdict> {
  if (now?.kind === "same") return { state: "current" };
  const by = otherInjector(pod, label);
  if (now?.kind === "refused") return { state: "refused", why: now.why };
  if (now?.kind !== "injected") {
    if (by !== undefined) return { state: "foreign", by, changes: [] };
    return { state: isInjected(pod, label) ? "unwanted" : "plain" };
  }
  if (by !== undefined) return { state: "foreign", by, changes: changesSince(pod, now.pod) };
  if (!isInjected(pod, label)) return { state: "missing" };
  const outdated = await differenceOf(pod, now, releaseOf);
  return outdated.changes.length === 0 ? { state: "current" } : outdated;
}

type Outdated = Extract<PodVerdict, { readonly state: "outdated" }>;
type Injected = Extract<Outcome, { readonly kind: "injected" }>;

async function differenceOf(pod: Pod, now: Injected, releaseOf: JudgePorts["releaseOf"]): Promise<Outdated> {
  const { pod: next, served } = now;
  const made = readStatus(pod)?.madeBy;
  // What the fallback made is replaced even where the published release would make the same.
  const earlier = made && !isOfFallback(pod) ? await releaseOf(made.release) : undefined;
  const before = earlier && made && remade(pod, { ...served, release: made.release, injector: earlier });
  // Two injections of the same pod differ in nothing but what the releases write.
  if (before === undefined || readStatus(before)?.madeBy?.note !== made?.note) {
    return { state: "outdated", changes: changesSince(pod, next), inPlace: UNKNOWN };
  }
  const written = withWritten(before, next, writtenSince(pod));
  const changes = podChanges(written as JsonObject, next as JsonObject);
  return { state: "outdated", changes, inPlace: inPlaceOf(pod, written, next, changes) };
}

const UNKNOWN: InPlace = { why: "it names no release that is still known" };

function changesSince(pod: Pod, next: Pod): readonly PodChange[] {
  return releaseChanges(pod as JsonObject, podChanges(pod as JsonObject, next as JsonObject));
}

type Outcome = { readonly served: ServedRelease } & (
  | { readonly kind: "injected"; readonly pod: Pod }
  /** The release and the settings that made the pod make this again: whatever else differs was changed by others. */
  | { readonly kind: "same" }
  | { readonly kind: "skipped" }
  | { readonly kind: "refused"; readonly why: string }
);

/** The first release that can inject it does, as the function that serves them has it. */
export function injectedNow(pod: Pod, served: readonly ServedRelease[]): Outcome | undefined {
  const label = labelOf(served);
  const isOwn = isInjected(pod, label) && otherInjector(pod, label) === undefined;
  const isAsMade = isOwn && !isOfFallback(pod) && writtenSince(pod).size === 0;
  const note = isAsMade ? readStatus(pod)?.madeBy?.note : undefined;
  let first: Outcome | undefined;
  for (const each of served) {
    const found = tryInjection(pod, each, note);
    if (found.kind !== "refused") return found;
    first ??= found;
  }
  return first;
}

/** @param note what the pod's record says of the release that made it */
function tryInjection(pod: Pod, served: ServedRelease, note: string | undefined): Outcome {
  const request = requestFor(pod, served);
  const { injector } = served;
  if (note !== undefined && note === madeByNote(injector, request)) {
    return { kind: decide(injector.config, pod, request.namespace).inject ? "same" : "skipped", served };
  }
  const result = orRefused(() => injectPod(injector, request));
  if (result instanceof OutriggerError) return { kind: "refused", why: result.message, served };
  return result.injected ? { kind: "injected", pod: result.pod, served } : { kind: "skipped", served };
}

function remade(pod: Pod, served: ServedRelease): Pod | undefined {
  // It was accepted once: it is not asked again.
  const made = orRefused(() => injectPod(served.injector, { ...requestFor(pod, served), isTrial: true }));
  return made instanceof OutriggerError || !made.injected ? undefined : made.pod;
}

function orRefused<Result>(inject: () => Result): Result | OutriggerError {
  try {
    return inject();
  } catch (error) {
    return ownError(error);
  }
}

/** Whether the release in the artifact made the pod, because no published one could be read. */
export function isOfFallback({ metadata }: Pick<Pod, "metadata">): boolean {
  return metadata?.annotations?.[metadataKeys.fallback] !== undefined;
}

/** Istio's record has no checksum, and App Mesh leaves none: its proxy is known by its variables. */
function otherInjector(pod: Pod, label: string | undefined): string | undefined {
  if (label !== undefined) return undefined;
  if (readStatus(pod)?.trust === "listed" && isInjected(pod)) return "Istio";
  const isOfAppMesh = pod.spec?.containers?.some(({ name, env }) => {
    return name === "envoy" && env?.some((variable) => variable.name?.startsWith("APPMESH_"));
  });
  return isOfAppMesh === true ? "App Mesh" : undefined;
}
