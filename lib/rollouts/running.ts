// What the pods of a cluster have against what new ones would get: read in pages, judged once for all that are alike, and counted
// by workload. What is kept does not grow with the number of pods.
import type { KubeClient } from "@outrigger/cluster";
import { ownerOf } from "@outrigger/injector";
import { isRunning, oncePerReplicas, type Pod } from "@outrigger/pod";
import { type Judged, type JudgePorts, judgePod, POD_STATES } from "./compare/judge-pod.ts";
import type { PodChange } from "./compare/pod-changes.ts";

type State = (typeof POD_STATES)[number];

/** The pods of one workload. */
export interface RunningWorkload {
  readonly namespace: string;
  /** `Deployment`, `StatefulSet`, …; `Pod` for one without a controller. */
  readonly kind: string;
  readonly name: string;
  readonly pods: number;
  /** State → how many pods are in it. */
  readonly states: Readonly<Partial<Record<State, number>>>;
  /** Release that made pods → how many; those whose record names none are left out. */
  readonly releases: Readonly<Record<string, number>>;
  /** When the newest of its pods was made: ISO 8601, UTC. */
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

/** What the pods of a cluster have. */
export interface RunningReport {
  /** Pods that were looked at. */
  readonly pods: number;
  readonly states: Readonly<Partial<Record<State, number>>>;
  /** Those with a sidecar, or that should have one. */
  readonly workloads: readonly RunningWorkload[];
  /** Equal ones once, the most frequent first. */
  readonly changes: readonly CountedChange[];
}

/** Which pods. */
export interface RunningQuestion {
  /** Only this namespace. */
  readonly namespace?: string;
  /** kubectl's `-l`. */
  readonly selector?: string;
}

/**
 * Reads and judges pods that run. Those that have ended, are being deleted or only mirror a node's own are left out.
 *
 * @param question which pods; `most` of them at most
 */
export async function readRunning(
  kube: Pick<KubeClient, "pods">,
  ports: JudgePorts,
  { namespace, selector, most = Number.POSITIVE_INFINITY }: RunningQuestion & { readonly most?: number } = {},
): Promise<RunningReport> {
  const path = namespace === undefined ? "/api/v1/pods" : `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const judge = oncePerReplicas((pod) => judgePod(pod, ports));
  const workloads = new Map<string, Counted>();
  let looked = 0;
  for await (const pod of kube.pods(path, selector === undefined ? {} : { labelSelector: selector })) {
    if (!isRunning(pod)) continue;
    const judged = await judge(pod);
    count(workloads, pod as Pod, judged);
    looked += 1;
    if (looked === most) break;
  }
  return reportOf([...workloads.values()]);
}

/** Bytes that caches may take in a process that reads all pods: each page of them takes as much. */
export const READER_CACHES = 64_000_000;

interface Counted {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  pods: number;
  readonly states: Partial<Record<State, number>>;
  readonly releases: Record<string, number>;
  newest: string;
  served?: string;
  channel?: string;
  example?: NonNullable<RunningWorkload["example"]>;
}

function count(workloads: Map<string, Counted>, pod: Pod, { verdict, release, served, channel }: Judged): void {
  const { kind, name, namespace } = workloadOf(pod);
  const key = `${namespace}/${kind}/${name}`;
  const known = workloads.get(key) ?? { namespace, kind, name, pods: 0, states: {}, releases: {}, newest: "" };
  workloads.set(key, known);
  known.pods += 1;
  const { creationTimestamp = "" } = pod.metadata ?? {};
  if (creationTimestamp !== null && creationTimestamp > known.newest) known.newest = creationTimestamp;
  known.states[verdict.state] = (known.states[verdict.state] ?? 0) + 1;
  if (release !== undefined) known.releases[release] = (known.releases[release] ?? 0) + 1;
  if (served !== undefined) known.served = served;
  if (channel !== undefined) known.channel = channel;
  if (verdict.state === "current" || verdict.state === "plain") return;
  const graver = POD_STATES.indexOf(verdict.state) < POD_STATES.indexOf(known.example?.verdict.state ?? "plain");
  if (graver) known.example = { pod: pod.metadata?.name ?? "", verdict };
}

/** By the controller, whether the pod's name is generated or not. */
export function workloadOf({ metadata = {} }: Pod): ReturnType<typeof ownerOf> {
  return ownerOf({ ...metadata, generateName: metadata.generateName || "named" });
}

function reportOf(counted: readonly Counted[]): RunningReport {
  const states: Partial<Record<State, number>> = {};
  for (const one of counted) {
    for (const state of POD_STATES) if (one.states[state]) states[state] = (states[state] ?? 0) + one.states[state];
  }
  const pods = counted.reduce((sum, one) => sum + one.pods, 0);
  const workloads = counted
    .filter(({ states, pods }) => states.plain !== pods)
    .toSorted((a, b) => compare(a.namespace, b.namespace) || compare(a.kind, b.kind) || compare(a.name, b.name));
  return { pods, states, workloads, changes: countChanges(workloads) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
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
  return [...found.values()].toSorted((a, b) => b.workloads - a.workloads || compare(a.field, b.field));
}

/** Fields whose values say which change it is. */
const SHOWN = /\.image$|\.resources\./;

/** Whether a new pod of the workload would be another one, or none. */
export function isOutdated({ example }: Pick<RunningWorkload, "example">): boolean {
  const verdict = example?.verdict;
  return verdict !== undefined && (verdict.state !== "foreign" || verdict.changes.length > 0);
}
