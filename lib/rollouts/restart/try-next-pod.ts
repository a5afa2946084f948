// Whether the cluster takes the next pod of a workload: asked of the API server as a dry run, before a pod of it is taken down. Webhooks,
// policies, Pod Security, quotas and limit ranges answer as they will. Before a release is served, its own webhook would answer with the
// one before it: then the pod is injected here, and tried as it is.
import { type JsonObject, objectOf } from "@outrigger/base";
import { type KubeClient, nextPodOf, tryPod } from "@outrigger/cluster";
import { decodePod } from "@outrigger/injector";
import { injectedNow } from "../compare/judge-pod.ts";
import type { ServedFor } from "../compare/served-now.ts";
import { fitsQuota } from "./fits-quota.ts";
import type { RestartPlan } from "./plan-restart.ts";
import { type SeenWorkload, seeWorkload } from "./pods-of-workload.ts";
import { nameOf, partsOf, replacesInPlace } from "./workload.ts";

/**
 * The outcome of the question: the pod is taken, it is refused, it could not be tried and why, or nobody answered. `why` of a pod that
 * is refused says who refuses it, and what to do.
 */
export type Tried =
  | { readonly kind: "taken" | "unanswered" }
  | { readonly kind: "refused" | "untried"; readonly why: string };

/**
 * Tries the next pod of a workload.
 *
 * @param isWanted whether the pod must have a sidecar: without one it counts as refused
 * @param ahead the release that the pod is to come from, where that is not served yet
 */
export async function tryNextPod(
  kube: Pick<KubeClient, "createDryRun">,
  { name, object, pods }: SeenWorkload,
  isWanted: boolean,
  ahead?: ServedFor,
): Promise<Tried> {
  const parts = partsOf(name);
  const [running] = pods;
  const next = nextPodOf(object, running);
  const made = ahead && injectedAhead(next, parts.namespace, ahead);
  if (made?.kind === "refused") return { kind: "refused", why: `its next pod would be denied: ${made.why}` };
  const injected = made?.kind === "injected" ? (made.pod as JsonObject) : undefined;
  const answer = await tryPod(kube, parts.namespace, parts.name, next, injected);
  if (answer.kind === "untried") {
    if (answer.cause === "unanswered") return { kind: "unanswered" };
    const hint = answer.cause === "denied" ? " (the roles of outrigger print rbac restart allow it as dry runs)" : "";
    return { kind: "untried", why: `${answer.why}${hint}` };
  }
  if (answer.kind === "rejected") {
    const { cause, message, remediation } = answer;
    // A dry run counts the pod that would be gone by then.
    if (cause === "quota" && frees(object, running) && fitsQuota(message, objectOf(running?.["spec"])))
      return { kind: "taken" };
    return { kind: "refused", why: `the API server would not take its next pod: ${message} (${remediation})` };
  }
  if (isWanted && !answer.isInjected) {
    const why =
      "its next pod would have no sidecar: the webhook is not called, or does not answer (outrigger check finds why)";
    return { kind: "refused", why };
  }
  return { kind: "taken" };
}

function injectedAhead({ metadata, spec }: JsonObject, namespace: string, servedFor: ServedFor) {
  const pod = decodePod({ metadata: { ...objectOf(metadata), namespace }, spec: spec ?? {} }, "encoded");
  return injectedNow(pod, servedFor(pod));
}

/** The number of workloads that are tried at once. */
const AT_ONCE = 8;

/**
 * The plan with those left whose next pod the cluster would not take, and why pods could not be tried.
 *
 * @param ahead the release that the pods are to come from, where that is not served yet
 */
export async function tryPlan(
  kube: Pick<KubeClient, "createDryRun" | "get" | "list">,
  { restart, left }: RestartPlan,
  ahead?: ServedFor,
): Promise<RestartPlan & { readonly untried: readonly string[] }> {
  const refused = new Map<string, string>();
  const untried = new Set<string>();
  const names = restart.map(nameOf);
  const isWanted = new Map(restart.map((one) => [nameOf(one), one.states.foreign === undefined]));
  const next = names.values();
  const work = async () => {
    for (const name of next) {
      const seen = await seeWorkload(kube, name);
      const tried = seen && (await tryNextPod(kube, seen, isWanted.get(name) === true, ahead));
      if (tried?.kind === "refused") refused.set(name, tried.why);
      if (tried?.kind === "untried") untried.add(tried.why);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const found = names.flatMap((workload) => {
    const why = refused.get(workload);
    return why === undefined ? [] : [{ workload, why }];
  });
  return {
    restart: restart.filter((one) => !refused.has(nameOf(one))),
    left: [...left, ...found],
    untried: [...untried],
  };
}

function frees(workload: JsonObject, running: JsonObject | undefined): boolean {
  return running !== undefined && replacesInPlace(workload);
}
