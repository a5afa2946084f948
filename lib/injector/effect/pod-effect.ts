// What one release in place of another does to a pod that the webhook will be sent. Pure.
import { compareTexts, faultOf, type JsonObject, type JsonValue, ownError } from "@outrigger/base";
import { containersOf, type Pod } from "@outrigger/pod";
import { injectPod } from "../inject-pod.ts";
import type { Injector, InjectRequest } from "../injection.ts";
import { podChanges } from "./pod-changes.ts";

/**
 * Every effect, the gravest first.
 *
 * | effect     | the next pod                                                                                 |
 * |------------|----------------------------------------------------------------------------------------------|
 * | `fails`    | its injection would newly fail: the webhook's failurePolicy decides about it                 |
 * | `refused`  | it would newly be denied, as its author's mistake                                            |
 * | `loses`    | it would not get a container that it gets now                                                |
 * | `gains`    | it would get a container that it does not get now, and lose none                             |
 * | `recovers` | it would be made: now it fails or is denied                                                  |
 * | `changes`  | it would have the same containers, and another value in some field                           |
 */
export const POD_EFFECTS = ["fails", "refused", "loses", "gains", "recovers", "changes"] as const;

/** One field that differs between the two next pods. */
export interface FieldChange {
  /** `initContainers[istio-proxy].image` */
  readonly field: string;
  /** The value by the first release. It is left out if there is none. */
  readonly before?: JsonValue;
  /** The value by the second release. It is left out if there is none. */
  readonly after?: JsonValue;
}

/** What becomes of a pod by one release in place of another. */
export interface PodEffect {
  readonly effect: (typeof POD_EFFECTS)[number];
  /** The names of containers that are lost or gained. */
  readonly containers: readonly string[];
  /** The error, or the reason why a pod is not injected. */
  readonly why?: string;
  readonly changes: readonly FieldChange[];
}

/** Returns what a pod is by the second of two releases and not by the first; undefined where both make the same of it. */
export function podEffect(request: InjectRequest, before: Injector, after: Injector): PodEffect | undefined {
  return effectBetween(request.pod, nextPod(request, before), nextPod(request, after));
}

/** What the webhook makes of a pod. */
export type NextPod =
  | { readonly kind: "injected"; readonly pod: Pod }
  | { readonly kind: "skipped" | "refused" | "fails"; readonly why: string };

/** The answer of the webhook to a pod. The name of the release is in its record alone, which is no difference. */
function nextPod(request: InjectRequest, injector: Injector): NextPod {
  try {
    const result = injectPod(injector, request);
    return result.injected ? { kind: "injected", pod: result.pod } : { kind: "skipped", why: result.message };
  } catch (error) {
    const { code, message } = ownError(error);
    const fault = faultOf(code);
    // As the webhook answers: lib/serving/admission/outcome.ts.
    return { kind: fault === "author" || fault === "url" ? "refused" : "fails", why: message };
  }
}

/** Returns the difference of two answers to the same pod. */
export function effectBetween(author: Pod, before: NextPod, after: NextPod): PodEffect | undefined {
  if (after.kind === "fails" || after.kind === "refused") {
    if (before.kind === "fails" || before.kind === "refused") return undefined;
    return { effect: after.kind, containers: [], why: after.why, changes: [] };
  }
  if (before.kind === "fails" || before.kind === "refused") {
    return { effect: "recovers", containers: [], why: before.why, changes: [] };
  }
  if (before.kind === "skipped" && after.kind === "skipped") return undefined;
  const [left, right] = [podOf(before, author), podOf(after, author)];
  const [lost, gained] = [missingFrom(right, left), missingFrom(left, right)];
  const why = after.kind === "skipped" ? { why: after.why } : {};
  // A whole injection less, or more: every field of it differs, and those of the author that it rewrites are each workload's own.
  const isWhole = before.kind !== after.kind && lost.length + gained.length > 0;
  const changes = isWhole ? [] : changesBetween(left, right);
  if (lost.length > 0) return { effect: "loses", containers: lost, ...why, changes };
  if (gained.length > 0) return { effect: "gains", containers: gained, changes };
  return changes.length === 0 ? undefined : { effect: "changes", containers: [], ...why, changes };
}

/** The fields that differ, in the order of their names, whatever order the pods have them in. */
function changesBetween(before: Pod, after: Pod): readonly FieldChange[] {
  const changes = podChanges(before as JsonObject, after as JsonObject).map(({ field, running, now }) => ({
    field,
    ...(running !== undefined && { before: running }),
    ...(now !== undefined && { after: now }),
  }));
  return changes.toSorted((a, b) => compareTexts(a.field, b.field));
}

function podOf(next: NextPod, author: Pod): Pod {
  return next.kind === "injected" ? next.pod : author;
}

/** The containers of one pod that another does not have in either list. */
function missingFrom(pod: Pod, of: Pod): readonly string[] {
  const present = new Set(containersOf(pod.spec).map(({ name }) => name));
  return containersOf(of.spec).flatMap(({ name }) => (present.has(name) ? [] : [String(name)]));
}
