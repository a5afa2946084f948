// The CEL conditions under which a webhook is called at all. Pure.
//
// A condition that fails to evaluate skips the webhook without a trace where failures are ignored, and rejects the pod
// where they are not. So each asks with `has()` before it reads, and none reads what an author may leave out.

import { injectionKeys, metadataKeys } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import type { RolloutPhase } from "./webhook-settings.ts";

/** A CEL expression that has to be true of a request for the webhook to be called. A type, so that it is a JSON object too. */
export type MatchCondition = { readonly name: string; readonly expression: string };

/** Returns the conditions of every webhook in a phase of a rollout. */
export function matchConditionsOf(phase: RolloutPhase, injectionLabel?: string): readonly MatchCondition[] {
  const own = conditionsFor(injectionLabel).filter(({ name }) => phase === "audit" || name !== "dry-run");
  return own.map(({ name, expression }) => ({ name, expression }));
}

/**
 * Returns why the condition of this name keeps a pod from a webhook: nothing where it does not, or is not Outrigger's.
 *
 * @param injectionLabel that the webhook is registered with, where it is no label of Istio's
 */
export function unmetCondition(name: string, pod: Pod, injectionLabel?: string): readonly string[] {
  const why = conditionsFor(injectionLabel)
    .find((one) => one.name === name)
    ?.whyNot(pod);
  return typeof why === "string" ? [why] : [];
}

const MIRROR = metadataKeys.mirrorPod;
/** The label of a node that says which system it runs. */
const OS = "kubernetes.io/os";
const CAN_HAVE = {
  labels: "has(object.metadata) && has(object.metadata.labels)",
  annotations: "has(object.metadata) && has(object.metadata.annotations)",
};

type Condition = MatchCondition & { readonly whyNot: (pod: Pod) => string | false };

/** The conditions, each with a function that returns why it keeps a pod in memory from a webhook. */
const conditionsFor = (injectionLabel: string | undefined): readonly Condition[] => {
  const { inject } = injectionKeys(injectionLabel);
  return [
    // A mirror pod only shows what a kubelet runs already: what is injected into it never runs.
    {
      name: "not-a-mirror-pod",
      expression: `!(${CAN_HAVE.annotations} && "${MIRROR}" in object.metadata.annotations)`,
      whyNot: ({ metadata }) => metadata?.annotations?.[MIRROR] !== undefined && "it is a mirror pod",
    },
    // The selectors say so too; said here it also holds for configurations whose selectors were edited.
    {
      name: "not-opted-out",
      expression: `!(${CAN_HAVE.labels} && "${inject}" in object.metadata.labels && object.metadata.labels["${inject}"] == "false")`,
      whyNot: ({ metadata }) => metadata?.labels?.[inject] === "false" && "the pod opts out",
    },
    // Never injected whatever else holds, and what nodes need to work is of this kind: no failure may keep it out.
    {
      name: "not-on-the-host-network",
      expression: "!(has(object.spec) && has(object.spec.hostNetwork) && object.spec.hostNetwork == true)",
      whyNot: ({ spec }) => spec?.hostNetwork === true && "the pod is on the host's network",
    },
    // Never injected either, whatever the node selector says where the pod names its system itself.
    {
      name: "not-on-windows",
      expression: `!(has(object.spec) && (has(object.spec.os) && has(object.spec.os.name) ? object.spec.os.name == "windows" : (has(object.spec.nodeSelector) && "${OS}" in object.spec.nodeSelector && object.spec.nodeSelector["${OS}"] == "windows")))`,
      whyNot: ({ spec }) => (spec?.os?.name ?? spec?.nodeSelector?.[OS]) === "windows" && "the pod runs on Windows",
    },
    // `kubectl apply --dry-run=server` and the like: the pod is admitted and then not made.
    {
      name: "dry-run",
      expression: "has(request.dryRun) && request.dryRun == true",
      whyNot: () => "only dry runs are sent (phase audit)",
    },
  ];
};
