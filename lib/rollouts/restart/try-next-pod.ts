// Whether the cluster takes the next pod of a workload: asked of the API server as a dry run, before a pod of it is taken down. Webhooks,
// policies, Pod Security, quotas and limit ranges answer as they will. Before a release is served, its own webhook would answer with the
// one before it: then the pod is injected here, and tried as it is.
import { type JsonObject, objectOf, ownError } from "@outrigger/base";
import { type KubeClient, nextPodOf, tryPod } from "@outrigger/cluster";
import { decodePod } from "@outrigger/injector";
import { injectedNow, type JudgePorts } from "../compare/judge-pod.ts";
import type { ServedFor } from "../compare/served-now.ts";
import { countsPods, fullQuota } from "./fits-quota.ts";
import type { RestartPlan } from "./plan-restart.ts";
import { itemsOf, type KubeReader, type SeenWorkload, seeWorkload } from "./pods-of-workload.ts";
import { nameOf, partsOf, replacesInPlace } from "./workload.ts";

/**
 * The outcome of the question: the pod is taken, it is refused, it could not be tried and why, or nobody answered. `why` of a pod that
 * is refused says who refuses it, and what to do.
 */
export type Tried =
  | {
      readonly kind: "taken";
      /** Whether a quota counts it: the places that another restart takes meanwhile are not there for this one. */
      readonly isCounted: boolean;
    }
  | { readonly kind: "unanswered" }
  | { readonly kind: "refused" | "untried"; readonly why: string };

/** The parts of a judgement that decide about next pods. */
export interface TrialPorts extends Pick<JudgePorts, "servedFor"> {
  readonly kube: Pick<KubeClient, "createDryRun" | "list">;
  /** Set where the release that `servedFor` names is not served yet. */
  readonly isAhead?: true;
}

/**
 * Tries the next pod of a workload, and whether quotas have a place for all of its new pods.
 *
 * @param isWanted whether the pod must have a sidecar: without one it counts as refused
 * @param quotasOf gets the quotas of a namespace, as they are by now
 */
export async function tryNextPod(
  { kube, servedFor, isAhead }: TrialPorts,
  { name, object, pods }: SeenWorkload,
  isWanted: boolean,
  quotasOf = (namespace: string) => readQuotas(kube, namespace),
): Promise<Tried> {
  const parts = partsOf(name);
  const next = nextPodOf(object, pods[0]);
  const made = isAhead === true ? injectedHere(next, parts.namespace, servedFor) : undefined;
  if (made?.kind === "refused") return { kind: "refused", why: `its next pod would be denied: ${made.why}` };
  let admitted: JsonObject | undefined;
  const onAdmitted = (pod: JsonObject) => {
    admitted = pod;
  };
  const answer = await tryPod(kube, parts.namespace, parts.name, next, {
    injected: podOf(made),
    injectionLabel: labelFor(next, parts.namespace, servedFor),
    onAdmitted,
  });
  if (answer.kind === "untried") {
    if (answer.cause === "unanswered") return { kind: "unanswered" };
    return untried(answer.why, answer.cause === "denied");
  }
  const rejection =
    answer.kind === "rejected"
      ? `the API server would not take its next pod: ${answer.message} (${answer.remediation})`
      : undefined;
  const mayFit = answer.kind === "admitted" || (answer.cause === "quota" && replacesInPlace(object));
  if (rejection !== undefined && !mayFit) return { kind: "refused", why: rejection };
  if (isWanted && answer.kind === "admitted" && !answer.isInjected) {
    const lost =
      "its next pod would have no sidecar: the webhook is not called, or does not answer (outrigger check finds why)";
    return { kind: "refused", why: lost };
  }
  const quotas = await quotasOf(parts.namespace);
  if (quotas === "unanswered") return { kind: "unanswered" };
  if (quotas === "denied") {
    const unread = `not allowed to list resourcequotas in ${parts.namespace}`;
    return rejection === undefined ? untried(unread, true) : { kind: "refused", why: `${rejection}; ${unread}` };
  }
  const pod = admitted ?? podOf(made ?? injectedHere(next, parts.namespace, servedFor));
  const old = pods.map((pod) => objectOf(pod["spec"]));
  const full =
    pod &&
    fullQuota(quotas, old, {
      spec: objectOf(pod["spec"]),
      isAdmitted: admitted !== undefined,
      isAhead: !replacesInPlace(object),
    });
  // What a dry run refuses may be a place that the old pod gives back.
  if (rejection !== undefined && pod === undefined) return { kind: "refused", why: rejection };
  if (full !== undefined) return { kind: "refused", why: `${full} (${FREE_SOME} -n ${parts.namespace})` };
  return { kind: "taken", isCounted: countsPods(quotas) };
}

const FREE_SOME =
  "raise it, or lower the sidecar's requests (sidecar.istio.io/proxyCPU, proxyMemory): kubectl describe quota";

function untried(why: string, isDenied: boolean): Tried {
  return { kind: "untried", why: `${why}${isDenied ? " (the roles of outrigger print rbac restart allow it)" : ""}` };
}

function injectedHere({ metadata, spec }: JsonObject, namespace: string, servedFor: ServedFor) {
  const pod = decodePod({ metadata: { ...objectOf(metadata), namespace }, spec: spec ?? {} }, "encoded");
  return injectedNow(pod, servedFor(pod));
}

/** The label of the config that serves the pod. */
function labelFor({ metadata }: JsonObject, namespace: string, servedFor: ServedFor): string | undefined {
  const [served] = servedFor({ metadata: { ...objectOf(metadata), namespace } });
  return served?.injector.config.injectionLabel;
}

function podOf(made: ReturnType<typeof injectedHere>): JsonObject | undefined {
  return made?.kind === "injected" ? (made.pod as JsonObject) : undefined;
}

type Quotas = readonly JsonObject[];

async function readQuotas(
  kube: Pick<KubeClient, "list">,
  namespace: string,
): Promise<Quotas | "denied" | "unanswered"> {
  try {
    return await itemsOf(kube.list(`/api/v1/namespaces/${encodeURIComponent(namespace)}/resourcequotas`));
  } catch (error) {
    return ownError(error, "cluster-denied", "cluster-unreachable").code === "cluster-denied" ? "denied" : "unanswered";
  }
}

/** The number of workloads that are tried at once. */
const AT_ONCE = 8;

/** The plan with those left whose next pod the cluster would not take, and why pods could not be tried. */
export async function tryPlan(
  ports: TrialPorts & { readonly kube: KubeReader },
  { restart, left }: RestartPlan,
): Promise<RestartPlan & { readonly untried: readonly string[] }> {
  const refused = new Map<string, string>();
  const untried = new Set<string>();
  const names = restart.map(nameOf);
  const isWanted = new Map(restart.map((one) => [nameOf(one), one.states.foreign === undefined]));
  // A plan changes nothing: quotas say the same for all workloads of a namespace.
  const known = new Map<string, Quotas>();
  const quotasOf = async (namespace: string) => {
    const quotas = known.get(namespace) ?? (await readQuotas(ports.kube, namespace));
    if (typeof quotas !== "string") known.set(namespace, quotas);
    return quotas;
  };
  const next = names.values();
  const work = async () => {
    for (const name of next) {
      const seen = await seeWorkload(ports.kube, name);
      const tried = seen && (await tryNextPod(ports, seen, isWanted.get(name) === true, quotasOf));
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
