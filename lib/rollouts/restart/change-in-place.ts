// A workload whose pods get new images and resources where they run. Every look begins with all of its pods: how many are down, whatever
// took them down, says how many more may be changed. Nothing is noted: a pod's record says what it has. It is written with the images,
// when the pod has its resources: until then, a restart would replace the pod.
import { isOwnError, type JsonObject, ownError } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import { type InPlace, inPlacePatch, resizePatch } from "../compare/in-place.ts";
import { type JudgePorts, judgePod } from "../compare/judge-pod.ts";
import { isReady } from "../pod-status.ts";
import { isChanged, resizeProgress } from "./changed-pod.ts";
import { type Changeable, whyReplaced } from "./plan-restart.ts";
import { troubleOf } from "./pod-trouble.ts";
import { podPath, podsOf } from "./pods-of-workload.ts";
import { type Cause, deadlineOf, type Look, type Moving, moved, readyIn, type Watching } from "./watch-workload.ts";
import { paceOf, wantedPods } from "./workload.ts";

interface Changing extends Watching {
  readonly changeable: Changeable;
  readonly isStopping: boolean;
  /** How many pods the budgets allow to be disrupted, with all that is in motion. */
  readonly allowed: (moving: Moving) => Promise<number>;
  /** Whether everything that was changed before is still well. */
  readonly isWell: () => Promise<boolean>;
}

type Changes = Extract<InPlace, { readonly record: string }>;

interface Outdated {
  readonly pod: JsonObject;
  readonly changes: Changes;
}

/** The pods of a workload. */
interface Seen {
  /** To be changed; those that are not ready come first. */
  readonly waiting: readonly Outdated[];
  /** With new resources in their spec: they get their images when their node has given them these. */
  readonly resizing: readonly Outdated[];
  readonly resized: readonly Outdated[];
  /** With all that is new in their spec, and not running it, or not ready. */
  readonly changing: readonly JsonObject[];
  /** Ready with all that is new, and not for long enough. */
  readonly baking: readonly JsonObject[];
  readonly well: readonly JsonObject[];
}

/** Every pod of a workload by where it is; or why the workload cannot be changed in place. */
export async function seePods(
  { changeable, now, bake, ...ports }: JudgePorts & Pick<Changing, "changeable" | "now" | "bake">,
  object: JsonObject,
  pods: readonly JsonObject[],
): Promise<Seen | { readonly left: string }> {
  const seen = { waiting: [], resizing: [], resized: [], changing: [], baking: [], well: [] };
  const { waiting, resizing, resized, changing, baking, well }: { [Place in keyof Seen]: Seen[Place][number][] } = seen;
  for (const pod of pods) {
    const { verdict } = await judgePod(pod, ports);
    if (verdict.state === "current" || verdict.state === "plain") {
      const isNew = isChanged(pod, object, now());
      (isNew ? (isChanged(pod, object, now(), bake) ? well : baking) : changing).push(pod);
      continue;
    }
    const why = whyReplaced(verdict, changeable);
    if (why !== undefined || verdict.state !== "outdated" || "why" in verdict.inPlace) return { left: String(why) };
    const outdated = { pod, changes: verdict.inPlace };
    const progress = resizeProgress(pod, verdict.inPlace.resources);
    if (typeof progress !== "string") return { left: `pod ${metadataOf(pod).name}: ${progress.why}` };
    if (progress === "moving") resizing.push(outdated);
    else if (progress === "done" && verdict.inPlace.resources.length > 0) resized.push(outdated);
    else if (isReady(pod)) waiting.push(outdated);
    else waiting.unshift(outdated);
  }
  return seen;
}

/** Goes on with a workload: looks at all of its pods, and changes as many more as may be. */
export async function changeInPlace(run: Changing, moving: Moving, object: JsonObject): Promise<Look> {
  const { now, isStopping } = run;
  const pods = await podsOf(run.kube, object);
  moving.ready = readyIn(pods);
  const seen = await seePods({ ...run, ...(isStopping && { bake: 0 }) }, object, pods);
  const fallen = troubleOf(pods.filter((pod) => !isReady(pod) && moving.tried.has(metadataOf(pod).uid)));
  if ("left" in seen) return fallen === undefined ? seen : causeOf(fallen, fallen.why);
  const { waiting, resizing, resized, changing, baking, well } = seen;
  const busy = [...resizing.map(({ pod }) => pod), ...resized.map(({ pod }) => pod), ...changing, ...baking];
  moving.reserved.pods = busy.length;
  moved(moving, JSON.stringify([baking.length + well.length, resizing.length, waiting.length]), now());
  const late = now() - moving.since > deadlineOf(object) * 1000 ? ` after ${deadlineOf(object)} s` : "";
  const trouble = troubleOf(changing);
  const [first] = changing;
  if (trouble?.isFinal === true || (late !== "" && first !== undefined)) {
    const cause = trouble ?? { pod: metadataOf(first).name, container: "-" };
    return causeOf(cause, `${trouble?.why ?? "it is not ready"}${late}`);
  }
  const [stuck] = resizing;
  if (late !== "" && stuck !== undefined) {
    return { left: `pod ${metadataOf(stuck.pod).name}: its node has not given it the resources${late}` };
  }
  for (const one of resized) {
    const stopped = await change(run, moving, one);
    if (stopped !== undefined) return stopped;
  }
  if (isStopping && busy.length === 0) return waiting.length === 0 ? "back" : "halted";
  if (waiting.length === 0) return busy.length === 0 ? "back" : "moving";
  if (isStopping || !(await run.isWell())) return "moving";
  const down = busy.length + waiting.filter(({ pod }) => !isReady(pod)).length;
  const missing = Math.max(0, wantedPods(object, pods.length) - pods.length);
  const free = Math.min(paceOf(object, pods.length) - down - missing, await run.allowed(moving));
  // A pod that is not ready loses nothing: neither its budgets nor the workload's strategy are asked.
  const unready = waiting.filter(({ pod }) => !isReady(pod));
  const next = [...unready, ...waiting.slice(unready.length).slice(0, Math.max(0, free))];
  for (const one of next) {
    const stopped = await change(run, moving, one);
    if (stopped !== undefined) return stopped;
    moving.reserved.pods += 1;
  }
  const isBlocked = next.length === 0 && busy.length === 0 && late !== "";
  return isBlocked ? { left: "its PodDisruptionBudget allows no disruption" } : "moving";
}

function causeOf(
  { pod, container, isOwn = false }: { readonly pod: string; readonly container: string; readonly isOwn?: boolean },
  why: string,
): Cause {
  return { why: `pod ${pod}, container ${container}: ${why}`, pod, container, ...(isOwn && { isOwn }) };
}

/** Writes the resources, or the images and the record. One that has changed since it was read is looked at again. */
async function change(
  { kube, assertHeld }: Changing,
  { tried }: Moving,
  { pod, changes }: Outdated,
): Promise<Cause | { readonly left: string } | undefined> {
  const { name, namespace, uid } = metadataOf(pod);
  const path = podPath(namespace, name);
  const isResize = resizeProgress(pod, changes.resources) === "unwritten";
  if (!isResize && tried.has(uid)) return { why: "its pods differ from what the release injects", pod: name };
  await assertHeld();
  try {
    if (isResize) await kube.mergePatch(`${path}/resize`, resizePatch(pod, changes), { byName: true });
    else await kube.mergePatch(path, inPlacePatch(pod, changes), { byName: true });
    if (!isResize) tried.add(uid);
    return undefined;
  } catch (error) {
    if (isOwnError(error, "cluster-conflict")) return undefined;
    const { message } = ownError(error, "cluster-refused", "cluster-webhook-failed");
    // It is as it was.
    if (isResize) return { left: `pod ${name} cannot be resized: ${message}` };
    return { why: `pod ${name} cannot be changed: ${message}`, pod: name };
  }
}
