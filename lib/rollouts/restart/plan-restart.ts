// Which workloads a restart would begin with, and which it leaves, and why. Reads only.
import { type JsonObject, objectOf, objectsOf, textOf } from "@outrigger/base";
import { type KubeClient, listed } from "@outrigger/cluster";
import { metadataOf } from "@outrigger/pod";
import type { Caution, NewImage } from "../compare/in-place.ts";
import type { JudgePorts, PodVerdict } from "../compare/judge-pod.ts";
import { countRunning, isOutdated, type RunningWorkload, readRunning } from "../running.ts";
import type { LeftWorkload, RestartJournal, RestartQuestion } from "./journal-entry.ts";
import { type KubeReader, readWorkload, seeWorkload } from "./pods-of-workload.ts";
import { nameOf, pathOfWorkload, remedyOf, rolloutStatus, whyLeft } from "./workload.ts";

/** The plan of a restart. */
export interface RestartPlan {
  /** The workloads to restart, in order. */
  readonly restart: readonly RunningWorkload[];
  readonly left: readonly LeftWorkload[];
}

/** Plans to restart the workloads whose new pods would differ, and whose rollout would come back. */
export async function planRestart(
  kube: Pick<KubeClient, "get" | "list" | "pods">,
  ports: JudgePorts,
  { release, share, inPlace, ...question }: RestartQuestion,
): Promise<RestartPlan> {
  const { workloads } = await readRunning(kube, ports, question);
  const changeable = inPlace && (await changeableIn(kube, inPlace));
  const restart: RunningWorkload[] = [];
  const left: LeftWorkload[] = [];
  for (const workload of workloads) {
    if (release !== undefined && !workload.releases[release]) continue;
    if (share !== undefined && !(workload.served === share.release && workload.channel === share.channel)) continue;
    if (!isOutdated(workload)) continue;
    const why =
      whyNotJudged(workload) ??
      (changeable && whyReplaced(workload.example?.verdict, changeable)) ??
      (await whyNotRead(kube, workload, release !== undefined, changeable));
    if (why === undefined) restart.push(workload);
    else left.push({ workload: nameOf(workload), why });
  }
  // What a bad release reached last is where it does its harm now.
  if (release !== undefined) restart.sort((a, b) => (a.newest < b.newest ? 1 : a.newest > b.newest ? -1 : 0));
  return { restart, left };
}

/** Returns why the state of its pods keeps a workload from being restarted, or undefined if it does not. */
function whyNotJudged(workload: RunningWorkload): string | undefined {
  const { kind, states, example } = workload;
  const verdict = example?.verdict;
  if (verdict?.state === "refused") return `a new pod would be denied: ${verdict.why}`;
  if (states.outdated === undefined && states.missing === undefined && states.foreign === undefined) {
    return "a new pod would have no sidecar: restart it yourself if it is to have none";
  }
  return pathOfWorkload(nameOf(workload)) === undefined ? remedyOf(kind) : undefined;
}

export interface Changeable {
  /** The version of a node's kubelet; read once. */
  readonly kubeletOf: (node: string) => Promise<string | undefined>;
  /** Containers that may be changed whatever they do. */
  readonly named: readonly string[];
  /** Whether the API server lets CPU and memory change: Kubernetes does from 1.33 on. */
  readonly canResize: boolean;
}

export async function changeableIn(kube: Pick<KubeClient, "get">, named: readonly string[]): Promise<Changeable> {
  const { resources } = (await kube.get("/api/v1")) ?? {};
  const kubelets = new Map<string, Promise<string | undefined>>();
  const kubeletOf = (node: string) => {
    const read = async () => objectOf((await kube.get(`/api/v1/nodes/${encodeURIComponent(node)}`))?.["status"]);
    const reading = kubelets.get(node) ?? read().then(({ nodeInfo }) => textOf(objectOf(nodeInfo)["kubeletVersion"]));
    kubelets.set(node, reading);
    return reading;
  };
  return { kubeletOf, named, canResize: objectsOf(resources).some(({ name }) => name === "pods/resize") };
}

/**
 * Returns why a pod becomes current by a new one only. It is undefined if images and resources are all that differs,
 * and all may be changed.
 */
export function whyReplaced(verdict: PodVerdict | undefined, { named, canResize }: Changeable): string | undefined {
  if (verdict?.state !== "outdated") return `it is ${verdict?.state}: only a restart brings what the release injects`;
  const { inPlace } = verdict;
  if ("why" in inPlace) return `only a restart brings its change: ${inPlace.why}`;
  if (inPlace.resources.length > 0 && !canResize) {
    return "only a restart brings its change: the API server does not resize running pods (Kubernetes 1.33 does)";
  }
  for (const { name, caution } of [...inPlace.images, ...inPlace.resources]) {
    if (caution === undefined || named.includes(name)) continue;
    return `its container ${name} ${CAUTIONS[caution]}: restart it, or name the container (--container ${name})`;
  }
  return undefined;
}

const CAUTIONS: Readonly<Record<Caution, string>> = {
  traffic: "carries its traffic",
  ended: "has run already",
  application: "is the application's own",
};

/** Returns why the workload itself, or the nodes of its pods, keep it from being changed. */
async function whyNotRead(
  kube: KubeReader,
  { example, ...workload }: RunningWorkload,
  isUrgent: boolean,
  changeable?: Changeable,
) {
  const name = nameOf(workload);
  const object = await readWorkload(kube, name);
  if (object === undefined) return "it is gone";
  const why = whyLeft(object, isUrgent);
  const verdict = changeable === undefined ? undefined : example?.verdict;
  if (why !== undefined || verdict?.state !== "outdated" || "why" in verdict.inPlace) return why;
  const { images } = verdict.inPlace;
  const pods = images.some(isKeptByOld) ? (await seeWorkload(kube, name))?.pods : [];
  for (const pod of pods ?? []) {
    const kept = changeable && (await whySidecarsStay(changeable, pod, images));
    if (kept !== undefined) return kept;
  }
  return undefined;
}

const VERSION = /^v?(\d+)\.(\d+)/;
/** The first minor version of Kubernetes 1 whose kubelet starts a native sidecar again for a new image (kubernetes#121333). */
const SIDECARS_SINCE = 32;

function isKeptByOld({ list, caution }: NewImage): boolean {
  return list === "initContainers" && caution !== "ended";
}

/** Returns why the new images of a pod would not run. */
export async function whySidecarsStay({ kubeletOf }: Changeable, pod: JsonObject, images: readonly NewImage[]) {
  const { nodeName: node } = objectOf(pod["spec"]);
  if (!images.some(isKeptByOld) || typeof node !== "string") return undefined;
  const version = await kubeletOf(node);
  const [, major, minor] = VERSION.exec(version ?? "") ?? [];
  if (minor === undefined || Number(major) > 1 || Number(minor) >= SIDECARS_SINCE) return undefined;
  return `pod ${metadataOf(pod).name}: the kubelet of its node ${node} is ${version}, and starts no native sidecar again for a new image (1.${SIDECARS_SINCE} does): restart it`;
}

/** `current` where a new pod would be the same, why it is left, or in what state the gravest of its pods is. */
export type JudgedAgain = "current" | "outdated" | "missing" | "foreign" | { readonly why: string };

/** Returns what a workload is now, by its own pods. */
export async function judgeAgain(ports: JudgePorts, pods: readonly JsonObject[]): Promise<JudgedAgain> {
  const [found] = (await countRunning(pods.map(listed), ports)).workloads;
  if (found === undefined || !isOutdated(found)) return "current";
  const why = whyNotJudged(found);
  if (why !== undefined) return { why };
  return found.states.missing !== undefined ? "missing" : found.states.outdated !== undefined ? "outdated" : "foreign";
}

/** The workload that stopped the last restart, where it is not back yet: the next one would break another. */
export async function stillDown(kube: Pick<KubeClient, "get">, journal?: RestartJournal): Promise<string | undefined> {
  const { workload } = journal?.failure ?? {};
  if (journal?.state !== "failed" || workload === undefined) return undefined;
  const object = await readWorkload(kube, workload);
  return object !== undefined && rolloutStatus(object).state !== "complete" ? workload : undefined;
}
