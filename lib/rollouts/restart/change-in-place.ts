// A workload whose pods get new images and resources where they run: as many at a time as its own strategy and its budgets allow, each
// watched until it has them and is ready. What was changed is not noted anywhere else: a pod's record says so itself. It is written
// with the images, when the pod has its resources: until then, a restart would replace the pod.
import { isOwnError, type JsonObject, objectOf, ownError } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { isRunning, metadataOf, type Pod } from "@outrigger/pod";
import { inPlacePatch, resizePatch } from "../compare/in-place.ts";
import { type JudgePorts, judgePod } from "../compare/judge-pod.ts";
import { isReady } from "../pod-status.ts";
import { workloadOf } from "../running.ts";
import { isChanged, resizeProgress } from "./changed-pod.ts";
import { type Changeable, judgeAgain, readWorkload, whyReplaced } from "./plan-restart.ts";
import { troubleOf } from "./pod-trouble.ts";
import { type Cause, deadlineOf, type Look, podPath, podsOf } from "./watch-workload.ts";
import { allowedDisruptions, budgetsOf, textOfName, type WorkloadName } from "./workload.ts";

/** The pods of a workload that is changed in place: names. */
export interface ChangingPods {
  readonly waiting: string[];
  readonly busy: string[];
  /** Those of the busy ones that do not have their resources yet. */
  readonly resizing: Set<string>;
}

export interface ChangingWorkload {
  readonly workload: WorkloadName;
  /** When the last of its pods came back, or it was begun. */
  since: number;
  pods?: ChangingPods;
}

interface Changing extends JudgePorts {
  readonly kube: KubeClient;
  readonly now: () => number;
  readonly changeable: Changeable;
  readonly isStopping: boolean;
}

type Judging = Pick<Changing, "kube" | "changeable" | keyof JudgePorts>;

/** Those that differ, and those that may not run their new images yet; or why the workload cannot be changed in place. */
export async function changingPods(
  { kube, changeable, ...ports }: Judging,
  workload: WorkloadName,
  object: JsonObject,
): Promise<ChangingPods | { readonly why: string }> {
  const found: ChangingPods = { waiting: [], busy: [], resizing: new Set() };
  for (const pod of await podsOf(kube, object)) {
    if (!isRunning(pod) || textOfName(workloadOf(pod as Pod)) !== textOfName(workload)) continue;
    const { verdict } = await judgePod(pod, ports);
    const isSame = verdict.state === "current" || verdict.state === "plain";
    const why = isSame ? undefined : whyReplaced(verdict, changeable);
    if (why !== undefined) return { why };
    const list = isSame ? found.busy : found.waiting;
    // Those that are not ready first.
    if (isReady(pod)) list.push(metadataOf(pod).name);
    else list.unshift(metadataOf(pod).name);
  }
  return found;
}

/** Goes on with a workload: looks at the pods that were changed, and changes as many more as may be. */
export async function changeInPlace(run: Changing, changing: ChangingWorkload): Promise<Look> {
  const { kube } = run;
  const { workload } = changing;
  const object = await readWorkload(kube, workload);
  if (object === undefined) return "back";
  const pods = changing.pods ?? (await changingPods(run, workload, object));
  if ("why" in pods) return { left: pods.why };
  changing.pods = pods;
  const cause = (await goOnResizing(run, changing, pods, object)) ?? (await watchBusy(run, changing, pods, object));
  if (cause !== undefined) return cause;
  if (run.isStopping && pods.busy.length === 0) return pods.waiting.length === 0 ? "back" : "halted";
  const stopped = run.isStopping ? undefined : await changeNext(run, changing, pods, object);
  if (stopped !== undefined) return stopped;
  if (pods.waiting.length + pods.busy.length > 0) return "moving";
  const judged = await judgeAgain(kube, run, workload, object);
  return judged === undefined ? { why: "its pods differ from what the release injects" } : "back";
}

/** Pods that have their resources by now get their images and their record. */
async function goOnResizing(
  run: Changing,
  changing: ChangingWorkload,
  { resizing }: ChangingPods,
  object: JsonObject,
): Promise<Cause | { readonly left: string } | undefined> {
  for (const name of [...resizing]) {
    const path = podPath(changing.workload.namespace, name);
    const pod = await run.kube.get(path);
    const isThere = pod !== undefined && isRunning(pod);
    const outcome = isThere ? await changePod(pod, path, run) : "gone";
    if (typeof outcome !== "string") return outcome;
    if (outcome === "changed" || outcome === "gone") {
      resizing.delete(name);
      changing.since = run.now();
    } else if (run.now() - changing.since > deadlineOf(object) * 1000) {
      return { left: `pod ${name}: its node has not given it the resources after ${deadlineOf(object)} s` };
    }
  }
  return undefined;
}

async function watchBusy(
  { kube, now }: Changing,
  changing: ChangingWorkload,
  { busy, resizing }: ChangingPods,
  object: JsonObject,
): Promise<Cause | undefined> {
  const { namespace } = changing.workload;
  for (const name of busy.filter((one) => !resizing.has(one))) {
    const pod = await kube.get(podPath(namespace, name));
    if (pod === undefined || !isRunning(pod) || isChanged(pod, object, now())) {
      busy.splice(busy.indexOf(name), 1);
      changing.since = now();
      continue;
    }
    const trouble = troubleOf([pod]);
    const seconds = deadlineOf(object);
    const isLate = now() - changing.since > seconds * 1000;
    if (trouble?.isFinal !== true && !isLate) continue;
    const late = isLate ? ` after ${seconds} s` : "";
    const { container, why, isOwn = false } = trouble ?? { container: "-", why: "it is not ready" };
    return { why: `pod ${name}, container ${container}: ${why}${late}`, pod: name, container, ...(isOwn && { isOwn }) };
  }
  return undefined;
}

/** A pod that is not ready loses nothing: neither its budgets nor the workload's strategy are asked. */
async function changeNext(
  run: Changing,
  changing: ChangingWorkload,
  { waiting, busy, resizing }: ChangingPods,
  object: JsonObject,
): Promise<Exclude<Look, "moving"> | undefined> {
  if (waiting.length === 0) return undefined;
  const { kube, now } = run;
  const { namespace } = changing.workload;
  const allowed = allowedDisruptions(object, await budgetsOf(kube, namespace));
  let free = Math.min(paceOf(object, waiting.length + busy.length), allowed) - busy.length;
  for (const name of [...waiting]) {
    const path = podPath(namespace, name);
    const pod = await kube.get(path);
    const isThere = pod !== undefined && isRunning(pod);
    const isUp = isThere && isReady(pod);
    if (isUp && free <= 0) break;
    const outcome = isThere ? await changePod(pod, path, run) : "gone";
    if (outcome === "outdated") continue;
    if (typeof outcome !== "string") return outcome;
    waiting.splice(waiting.indexOf(name), 1);
    if (isThere) busy.push(name);
    if (outcome === "resizing") resizing.add(name);
    if (isUp) free--;
  }
  const isStuck = busy.length === 0 && waiting.length > 0 && now() - changing.since > deadlineOf(object) * 1000;
  return isStuck ? { left: "its PodDisruptionBudget allows no disruption" } : undefined;
}

/** `outdated` where the pod has changed since it was read: it is looked at again. `resizing` where it needs its resources first. */
async function changePod(
  pod: JsonObject,
  path: string,
  { kube, changeable, ...ports }: Judging,
): Promise<"changed" | "resizing" | "outdated" | Cause | { readonly left: string }> {
  const { verdict } = await judgePod(pod, ports);
  if (verdict.state === "current") return "changed";
  const why = whyReplaced(verdict, changeable);
  if (why !== undefined || verdict.state !== "outdated" || "why" in verdict.inPlace) return { left: String(why) };
  const { inPlace } = verdict;
  const progress = resizeProgress(pod, inPlace.resources);
  if (progress === "moving") return "resizing";
  if (typeof progress !== "string") return { left: `pod ${metadataOf(pod).name}: ${progress.why}` };
  const isResize = progress === "unwritten";
  try {
    if (isResize) await kube.mergePatch(`${path}/resize`, resizePatch(pod, inPlace), { byName: true });
    else await kube.mergePatch(path, inPlacePatch(pod, inPlace), { byName: true });
    return isResize ? "resizing" : "changed";
  } catch (error) {
    if (isOwnError(error, "cluster-conflict")) return "outdated";
    const { message } = ownError(error, "cluster-refused", "cluster-webhook-failed");
    const { name } = metadataOf(pod);
    // It is as it was.
    if (isResize) return { left: `pod ${name} cannot be resized: ${message}` };
    return { why: `pod ${name} cannot be changed: ${message}`, pod: name };
  }
}

/** As many pods at a time as the workload's own strategy lets be unavailable, and one at least. */
function paceOf({ kind, spec, status }: JsonObject, changing: number): number {
  const { strategy, updateStrategy, replicas } = objectOf(spec);
  const { rollingUpdate, canary } = objectOf(strategy ?? updateStrategy);
  const isShared = kind === "Deployment" || kind === "Rollout";
  const { maxUnavailable = isShared ? "25%" : 1 } = objectOf(rollingUpdate ?? canary);
  const pods = Number(objectOf(status)["desiredNumberScheduled"] ?? replicas ?? changing);
  const share =
    typeof maxUnavailable === "number" ? maxUnavailable : (Number.parseFloat(String(maxUnavailable)) / 100) * pods;
  return Math.max(1, Math.floor(share));
}
