// What the pods of a cluster have against what new ones would get: read in pages, judged once for all that are alike, and counted
// by workload. What is kept does not grow with the number of pods.
import { compareTexts, defined, metadataKeys } from "@outrigger/base";
import type { KubeClient, listed, RunningQuestion, Uninjected } from "@outrigger/cluster";
import { runningPods, wantedSidecar, whyUninjected } from "@outrigger/cluster";
import { type PodChange, systemNamespaces, workloadOf } from "@outrigger/injector";
import { containersOf, metadataOf, oncePerReplicas, type Pod } from "@outrigger/pod";
import { isInjected } from "@outrigger/webhook";
import { isOfFallback, type Judged, type JudgePorts, judgePod, POD_STATES } from "./compare/judge-pod.ts";
import { containerStatuses } from "./pod-status.ts";
import { isImage, staleImages } from "./restart/changed-pod.ts";

type State = (typeof POD_STATES)[number];
type ListedPod = ReturnType<typeof listed>;

export interface RunningWorkload {
  readonly namespace: string;
  /** `Deployment`, `StatefulSet`, …; `Pod` for one without a controller. */
  readonly kind: string;
  readonly name: string;
  readonly pods: number;
  readonly states: Readonly<Partial<Record<State, number>>>;
  /** Release that made pods → how many; those whose record names none are left out. */
  readonly releases: Readonly<Record<string, number>>;
  /** How many the release in the artifact made, because no published one could be read; left out where none. */
  readonly fallback?: number;
  /** The time at which the newest of its pods was made: ISO 8601, UTC. */
  readonly newest: string;
  /** The release that a new pod would get, and the channel that serves it; left out where it would get none. */
  readonly served?: string;
  readonly channel?: string;
  /** The gravest state that is not `current`, of one of its pods. */
  readonly example?: { readonly pod: string; readonly verdict: Judged["verdict"] };
}

/** One change that a new pod would bring, and in how many workloads. */
export interface CountedChange extends PodChange {
  readonly workloads: number;
  /** `shop/web-6d4c…`, one of the pods. */
  readonly example: string;
}

/** The sidecars of the pods of a cluster. */
export type RunningReport = Awaited<ReturnType<typeof countRunning>>;

/** Of the workloads, only those with a pod in this state, or with one that the release in the artifact made. */
interface AskedWorkloads {
  readonly state?: State;
  readonly fallback?: true;
}

/**
 * Reads and judges the pods that run, in one pass.
 *
 * @param question which pods, and which of their workloads
 */
export function readRunning(
  kube: Pick<KubeClient, "pods">,
  ports: JudgePorts,
  { state, fallback, ...question }: RunningQuestion & AskedWorkloads = {},
) {
  return countRunning(runningPods(kube, question), ports, defined({ state, fallback }));
}

/** Judges the pods as readRunning() does, where they are read by the caller. */
export async function countRunning(
  pods: ReturnType<typeof runningPods> | readonly ListedPod[],
  ports: JudgePorts,
  asked: AskedWorkloads = {},
) {
  const { sidecars } = ports;
  const look = oncePerReplicas(async (pod) => {
    const [served] = ports.servedFor(pod as Pod);
    const hasSidecar = isInjected(pod as Pod, served?.injector.config.injectionLabel);
    const wanted = hasSidecar || sidecars === undefined ? undefined : wantedSidecar(pod as Pod, sidecars);
    const images = new Map(containersOf(pod["spec"]).map(({ name, image }) => [name, String(image)]));
    return { judged: await judgePod(pod, ports), hasSidecar, wanted, images };
  });
  const counted = new Map<string, Counted>();
  const [silent, asking] = [new Set<string>(), new Set<string>()];
  const uninjected: Uninjected[] = [];
  let injected = 0;
  for await (const pod of pods) {
    const { judged, hasSidecar, wanted, images } = await look(pod);
    const owner = workloadOf(pod as Pod);
    // In the order of the report: no name has a space.
    const key = `${owner.namespace} ${owner.kind} ${owner.name}`;
    const { namespace, kind, name } = owner;
    const known = counted.get(key) ?? { namespace, kind, name, pods: 0, states: {}, releases: {}, newest: "" };
    counted.set(key, known);
    count(known, pod, judged.verdict.state === "current" ? asItRuns(judged, pod, images) : judged);
    if (hasSidecar) injected += 1;
    if (wanted !== undefined) uninjected.push(withVerdict(whyUninjected(pod, wanted), judged));
    (asksForSidecar(pod, sidecars) ? asking : silent).add(namespace);
  }
  const all = [...counted].toSorted(([a], [b]) => compareTexts(a, b)).map(([, workload]) => workload);
  const isAsked = ({ states, pods, fallback }: Counted) =>
    (asked.state === undefined ? states.plain !== pods : states[asked.state] !== undefined) &&
    (asked.fallback === undefined || fallback !== undefined);
  const workloads: readonly RunningWorkload[] = all.filter(isAsked);
  const sum = (of: (workload: Counted) => number | undefined) => all.reduce((total, one) => total + (of(one) ?? 0), 0);
  const sums = POD_STATES.map((each) => [each, sum(({ states }) => states[each])] as const);
  const states: RunningWorkload["states"] = Object.fromEntries(sums.filter(([, pods]) => pods > 0));
  return {
    pods: sum(({ pods }) => pods),
    states,
    /** The workloads that have a sidecar, or should have one. */
    workloads,
    changes: countChanges(workloads),
    injected,
    /** Pods that should have a sidecar and have none, each with the reason; none where `sidecars` of the ports is left out. */
    uninjected,
    /** Namespaces without a label for injection, in which no running pod asks for a sidecar or has one. */
    unlabelled: [...silent].filter((namespace) => !asking.has(namespace) && !systemNamespaces.has(namespace)),
  };
}

/** A restart does not help a pod that would be denied. */
function withVerdict(why: Uninjected, { verdict }: Judged): Uninjected {
  if (verdict.state !== "refused") return why;
  const remediation = "correct what is denied before you restart it";
  return { ...why, reason: `a new pod would be denied: ${verdict.why}`, remediation, isRestartable: false };
}

/** A pod with all that is new in its spec: its node may still run an image of before. */
function asItRuns(judged: Judged, pod: ListedPod, images: ReadonlyMap<unknown, string>): Judged {
  const isAsWritten = containerStatuses(pod).every(({ name, image, ...status }) => {
    const wanted = images.get(name);
    return image === undefined || wanted === undefined || isImage({ image, ...status }, wanted);
  });
  const changes = isAsWritten ? [] : staleImages(pod.whole());
  if (changes.length === 0) return judged;
  const why = `its node still runs ${changes.map(({ running }) => String(running)).join(", ")}`;
  return { ...judged, verdict: { state: "outdated", changes, inPlace: { why } } };
}

/** Whether anything says if a pod is to have a sidecar. */
function asksForSidecar(pod: { readonly metadata?: unknown }, sidecars: JudgePorts["sidecars"]): boolean {
  const { namespace, labels, annotations } = metadataOf(pod);
  // Labels of any webhook that is registered, and Istio's.
  const labelsOf = sidecars?.installed.flatMap(({ settings }) => settings?.injectionLabel ?? []) ?? [];
  const says = (on: Readonly<Record<string, string>>, ...keys: readonly string[]) =>
    keys.some((key) => on[key] !== undefined);
  return (
    says(sidecars?.namespaces.get(namespace) ?? {}, metadataKeys.injection, metadataKeys.revision, ...labelsOf) ||
    says(labels, metadataKeys.inject, metadataKeys.revision, ...labelsOf) ||
    says(annotations, metadataKeys.status, metadataKeys.ownStatus, metadataKeys.inject, ...labelsOf)
  );
}

/** Bytes that caches may take in a process that reads all pods: each page of them takes as much. */
export const READER_CACHES = 64_000_000;

/** A workload while its pods are counted. */
type Counted = { -readonly [Field in keyof RunningWorkload]: Mutable<RunningWorkload[Field]> };
type Mutable<Value> = { -readonly [Field in keyof Value]: Value[Field] };

function count(known: Counted, pod: { readonly metadata?: unknown }, { verdict, release, ...now }: Judged): void {
  const { name, creationTimestamp } = metadataOf(pod);
  known.pods += 1;
  if (creationTimestamp > known.newest) known.newest = creationTimestamp;
  known.states[verdict.state] = (known.states[verdict.state] ?? 0) + 1;
  if (isOfFallback(pod as Pod)) known.fallback = (known.fallback ?? 0) + 1;
  if (release !== undefined) known.releases[release] = (known.releases[release] ?? 0) + 1;
  Object.assign(known, now);
  const gravity = POD_STATES.indexOf(known.example?.verdict.state ?? "current");
  if (POD_STATES.indexOf(verdict.state) < gravity) known.example = { pod: name, verdict };
}

/** Equal changes once: values that differ from pod to pod, such as names in a variable, are one change of that field. */
function countChanges(workloads: readonly RunningWorkload[]): readonly CountedChange[] {
  const found = new Map<string, CountedChange>();
  for (const { namespace, example } of workloads) {
    const verdict = example?.verdict;
    for (const change of verdict !== undefined && "changes" in verdict ? verdict.changes : []) {
      const own = SHOWN.test(change.field) ? JSON.stringify([change.running, change.now]) : "";
      const key = `${change.field} ${own}`;
      const known = found.get(key) ?? { ...change, workloads: 0, example: `${namespace}/${example?.pod}` };
      found.set(key, { ...known, workloads: known.workloads + 1 });
    }
  }
  return [...found.values()].toSorted((a, b) => b.workloads - a.workloads || compareTexts(a.field, b.field));
}

/** Fields whose values say which change it is. */
const SHOWN = /\.image$|\.resources\./;

/** Whether a new pod of the workload would be another one, or none. */
export function isOutdated({ example }: Pick<RunningWorkload, "example">): boolean {
  const verdict = example?.verdict;
  return verdict !== undefined && (verdict.state !== "foreign" || verdict.changes.length > 0);
}
