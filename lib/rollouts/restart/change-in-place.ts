// A workload whose pods get new images and resources where they run. Every look begins with all of its pods: how many are down, whatever
// took them down, says how many more may be changed. Nothing is noted: a pod's record says what it has. It is written with the images,
// when the pod has its resources: until then, a restart would replace the pod.
import { isOwnError, type JsonObject, ownError } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import { type Changes, inPlacePatch, resizePatch } from "../compare/in-place.ts";
import { judgePod } from "../compare/judge-pod.ts";
import { isReady } from "../pod-status.ts";
import { isChanged, staleImages } from "./changed-pod.ts";
import { type Changeable, whyReplaced, whySidecarsStay } from "./plan-restart.ts";
import { causeOf, troubleOf } from "./pod-trouble.ts";
import { podPath, type SeenWorkload } from "./pods-of-workload.ts";
import { resizeProgress } from "./resize-progress.ts";
import { type Action, allowedFor, isStopping, lateAfter, type Moving, mayWrite, type Run, type Stop } from "./run.ts";
import { isWell } from "./watch-done.ts";
import { deadlineOf, paceOf, wantedPods } from "./workload.ts";

export function changeInPlace(changeable: Changeable): Action {
  return {
    word: "changed in place",
    isBegun: () => false,
    async whyLeft(run, seen) {
      const placed = await placePods(run, changeable, seen);
      return "left" in placed ? { why: placed.left } : undefined;
    },
    async begin(_run, moving) {
      moving.taken = 0;
      return true;
    },
    async look(run, moving) {
      const { pods, tried } = moving;
      const placed = await placePods(run, changeable, moving);
      if ("left" in placed) {
        const fallen = troubleOf(pods.filter((pod) => !isReady(pod) && tried.has(metadataOf(pod).uid)));
        return fallen === undefined ? placed : causeOf(fallen);
      }
      const at = (...places: readonly Place[]) => placed.filter(({ place }) => places.includes(place));
      const [waiting, busy] = [at("waiting"), at("resizing", "resized", "changing", "baking")];
      moving.taken = busy.length;
      const mark = `${at("baking", "well").length} ${at("resizing").length} ${waiting.length}`;
      const isBaking = busy.length > 0 && busy.length === at("baking").length;
      const late = lateAfter(moving, mark, isBaking, run.now());
      const stuck = whyStuck(run, moving, placed, late === undefined ? "" : ` ${late}`);
      if (stuck !== undefined) return stuck;
      if (busy.length === 0 && waiting.length === 0) return "back";
      if (busy.length === 0 && isStopping(run)) return "halted";
      const isNext = waiting.length > 0 && !isStopping(run) && (await isWell(run));
      // Those that are resized have their images next, and lose nothing more.
      const next = [...at("resized"), ...(isNext ? await nextOf(run, moving, waiting) : [])];
      for (const one of next) {
        if (!(await mayWrite(run, moving))) return "stale";
        const stopped = await change(run, moving, one);
        if (stopped !== undefined) return stopped;
        if (one.place === "waiting") moving.taken += 1;
      }
      return "moving";
    },
  };
}

/** The next pods to change: as many as the workload's strategy and its budgets let be down. */
async function nextOf(run: Run, moving: Moving, waiting: readonly PlacedPod[]): Promise<readonly PlacedPod[]> {
  const { object, pods, taken } = moving;
  // A pod that is not ready loses nothing: neither its budgets nor the workload's strategy are asked.
  const unready = waiting.filter(({ pod }) => !isReady(pod));
  const missing = Math.max(0, wantedPods(object, pods.length) - pods.length);
  const pace = paceOf(object, pods.length) - taken - unready.length - missing;
  if (missing > 0 && pace <= 0) moving.blocked = `${missing} of its pods are missing, and no more may be down`;
  else delete moving.blocked;
  const free = Math.max(0, Math.min(pace, (await allowedFor(run, moving)).pods));
  return [...unready, ...waiting.filter(({ pod }) => isReady(pod)).slice(0, free)];
}

/**
 * The progress of a pod. `waiting`: it is to be changed. `resizing`: its spec has new resources that its node has yet
 * to give. `resized`: the node gave them, and the images are next. `changing`: its spec is new, and the pod does not
 * run it or is not ready. `baking`: it has been ready with it, but not for long enough. `well`: it has been ready for
 * long enough.
 */
type Place = "waiting" | "resizing" | "resized" | "changing" | "baking" | "well";

interface PlacedPod {
  readonly pod: JsonObject;
  readonly place: Place;
  /** The changes to write; undefined for a pod that has them. */
  readonly changes?: Changes;
}

/** Every pod of a workload by where it is; or why the workload cannot be changed in place. */
type Placed = readonly PlacedPod[] | { readonly left: string };

async function placePods(run: Run, changeable: Changeable, { object, pods }: SeenWorkload): Promise<Placed> {
  const placed: PlacedPod[] = [];
  for (const pod of pods) {
    const { uid, name, resourceVersion: version } = metadataOf(pod);
    const known = run.judged.get(uid);
    const verdict = known?.version === version ? known.verdict : (await judgePod(pod, run)).verdict;
    run.judged.set(uid, { version, verdict });
    if (verdict.state === "current" || verdict.state === "plain") {
      const has = (bake: number) => isChanged(pod, object, run.now(), bake);
      placed.push({ pod, place: !has(0) ? "changing" : has(isStopping(run) ? 0 : run.bake) ? "well" : "baking" });
      continue;
    }
    const why = whyReplaced(verdict, changeable);
    if (why !== undefined || verdict.state !== "outdated" || "why" in verdict.inPlace) return { left: String(why) };
    const { inPlace: changes } = verdict;
    const kept = await whySidecarsStay(changeable, pod, changes.images);
    if (kept !== undefined) return { left: kept };
    const progress = resizeProgress(pod, changes.resources);
    if (typeof progress !== "string") return { left: `pod ${name}: ${progress.why}` };
    const isResized = progress === "done" && changes.resources.length > 0;
    placed.push({ pod, changes, place: progress === "moving" ? "resizing" : isResized ? "resized" : "waiting" });
  }
  return placed;
}

/** @param late ` after 600 s`, where it is late */
function whyStuck({ now }: Run, { object }: Moving, placed: readonly PlacedPod[], late: string): Stop | undefined {
  const isFinal = (pod: JsonObject) => troubleOf([pod])?.isFinal === true;
  // A pod that is new, as an autoscaler makes it, has time of its own.
  const isNew = (pod: JsonObject) => now() - Date.parse(metadataOf(pod).creationTimestamp) <= deadlineOf(object) * 1000;
  const at = (wanted: Place) => placed.flatMap(({ pod, place }) => (place === wanted ? [pod] : []));
  const stuck = at("changing").filter((pod) => isFinal(pod) || (late !== "" && !isNew(pod)));
  const [[first], [resizing]] = [stuck, at("resizing")];
  if (first !== undefined) {
    const [stale] = isReady(first) ? staleImages(first) : [];
    const why = stale === undefined ? "it is not ready" : `its node still runs ${String(stale.running)}`;
    const trouble = troubleOf(stuck) ?? { pod: metadataOf(first).name, container: stale?.name ?? "-", why };
    return causeOf({ ...trouble, why: `${trouble.why}${late}` });
  }
  if (late === "" || resizing === undefined) return undefined;
  return { left: `pod ${metadataOf(resizing).name}: its node has not given it the resources${late}` };
}

/** Writes the resources, or the images and the record. One that has changed since it was read is looked at again. */
async function change(
  { held, atOnce }: Run,
  { tried }: Moving,
  { pod, changes }: PlacedPod,
): Promise<Stop | undefined> {
  if (changes === undefined) return undefined;
  const { name, namespace, uid } = metadataOf(pod);
  const path = podPath(namespace, name);
  const isResize = resizeProgress(pod, changes.resources) === "unwritten";
  if (!isResize && tried.has(uid)) return { why: "its pods differ from what the release injects", pod: name };
  try {
    if (isResize) await atOnce.mergePatch(`${path}/resize`, resizePatch(pod, changes), { byName: true });
    else {
      await atOnce.mergePatch(path, inPlacePatch(pod, changes), { byName: true });
      tried.add(uid);
    }
    return undefined;
  } catch (error) {
    if (isOwnError(error, "cluster-conflict", "cluster-unreachable")) {
      await held.write({});
      return undefined;
    }
    const { message } = ownError(error, "cluster-refused", "cluster-webhook-failed");
    // It is as it was.
    if (isResize) return { left: `pod ${name} cannot be resized: ${message}` };
    return { why: `pod ${name} cannot be changed: ${message}`, pod: name };
  }
}
