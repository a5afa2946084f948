// The CEL conditions under which a webhook is called at all. Pure.
//
// A condition that fails to evaluate skips the webhook without a trace where failures are ignored, and rejects the pod
// where they are not. So each asks with `has()` before it reads, and none reads what an author may leave out.
import { labelKeys } from "@outrigger/injector";
import type { MatchCondition } from "./webhook-configuration.ts";
import type { RolloutPhase } from "./webhook-settings.ts";

export function matchConditionsOf(phase: RolloutPhase): readonly MatchCondition[] {
  return phase === "audit" ? [...ALWAYS, DRY_RUN] : ALWAYS;
}

const MIRROR = "kubernetes.io/config.mirror";
const CAN_HAVE = {
  labels: "has(object.metadata) && has(object.metadata.labels)",
  annotations: "has(object.metadata) && has(object.metadata.annotations)",
};

const ALWAYS: readonly MatchCondition[] = [
  // A mirror pod only shows what a kubelet runs already: what is injected into it never runs.
  { name: "not-a-mirror-pod", expression: `!(${CAN_HAVE.annotations} && "${MIRROR}" in object.metadata.annotations)` },
  // The selectors say so too; said here it also holds for configurations whose selectors were edited.
  {
    name: "not-opted-out",
    expression: `!(${CAN_HAVE.labels} && "${labelKeys.inject}" in object.metadata.labels && object.metadata.labels["${labelKeys.inject}"] == "false")`,
  },
  // Never injected whatever else holds, and what nodes need to work is of this kind: no failure may keep it out.
  {
    name: "not-on-the-host-network",
    expression: "!(has(object.spec) && has(object.spec.hostNetwork) && object.spec.hostNetwork == true)",
  },
];

/** `kubectl apply --dry-run=server` and the like: the pod is admitted and then not made. */
const DRY_RUN: MatchCondition = { name: "dry-run", expression: "has(request.dryRun) && request.dryRun == true" };
