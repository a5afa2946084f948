// A workload whose pods get new images and resources where they run. Every look begins with all of its pods: how many are down, whatever
// took them down, says how many more may be changed. Nothing is noted: a pod's record says what it has. It is written with the images,
// when the pod has its resources: until then, a restart would replace the pod.
import { isOwnError, type JsonObject, ownError } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import { type InPlace, inPlacePatch, resizePatch } from "../compare/in-place.ts";
import { judgePod } from "../compare/judge-pod.ts";
import { isReady } from "../pod-status.ts";
import { isChanged, resizeProgress, staleImages } from "./changed-pod.ts";
import type { Cause } from "./journal-entry.ts";
import { type Changeable, whyReplaced, whySidecarsStay } from "./plan-restart.ts";
import { causeOf, troubleOf } from "./pod-trouble.ts";
import { allowedFor, podPath } from "./pods-of-workload.ts";
import { type Action, isStale, isStopping, type Moving, moved, type Run } from "./run.ts";
import { isWell } from "./watch-done.ts";
import { deadlineOf, paceOf, wantedPods } from "./workload.ts";

export function changeInPlace(changeable: Changeable): Action {
  return {
    word: "changed in place",
    isBegun: () => false,
    async whyLeft(run, object, pods) {
      const seen = await seePods(run, changeable, object, pods);
      return "left" in seen ? seen.left : undefined;
    },
    async begin(_run, { reserved }) {
      reserved.pods = 0;
      return true;
    },
    async look(run, moving, object, pods) {
      const seen = await seePods(run, changeable, object, pods);
      const fallen = troubleOf(pods.filter((pod) => !isReady(pod) && moving.tried.has(metadataOf(pod).uid)));
      if ("left" in seen) return fallen === undefined ? seen : causeOf(fallen);
      const [waiting, busy] = [
        seen.filter(isWaiting),
        seen.filter(({ place }) => place !== "waiting" && place !== "well"),
      ];
      const at = (place: Place) => busy.filter((one) => one.place === place);
      moving.reserved.pods = busy.length;
      const far = seen.filter(({ place }) => place === "baking" || place === "well").length;
      moved(moving, `${far} ${at("resizing").length} ${waiting.length}`, run.now());
      // Whatever takes a pod down while others bake has the whole time to bring it back.
      if (busy.length > 0 && busy.every(({ place }) => place === "baking")) moving.since = run.now();
      const seconds = deadlineOf(object);
      const late = run.now() - moving.since > seconds * 1000 ? ` after ${seconds} s` : "";
      // A pod that is new, as an autoscaler makes it, has time of its own.
      const isNew = ({ pod }: Seen) => run.now() - Date.parse(metadataOf(pod).creationTimestamp) <= seconds * 1000;
      const due = at("changing").filter((one) => late === "" || !isNew(one) || troubleOf([one.pod])?.isFinal === true);
      const stuck = whyStuck(due, at("resizing"), late);
      if (stuck !== undefined) return stuck;
      // Those that are resized have their images next, and lose nothing more.
      let next = seen.filter(({ place }) => place === "resized");
      if (busy.length === 0 && waiting.length === 0) return "back";
      if (busy.length === 0 && isStopping(run)) return "halted";
      if (waiting.length > 0 && !isStopping(run) && (await isWell(run))) {
        const [unready, ready] = [
          waiting.filter(({ pod }) => !isReady(pod)),
          waiting.filter(({ pod }) => isReady(pod)),
        ];
        const missing = Math.max(0, wantedPods(object, pods.length) - pods.length);
        const pace = paceOf(object, pods.length) - busy.length - unready.length - missing;
        const free = Math.max(0, Math.min(pace, await allowedFor(run, moving.reserved)));
        // A pod that is not ready loses nothing: neither its budgets nor the workload's strategy are asked.
        next = [...next, ...unready, ...ready.slice(0, free)];
        if (next.length === 0 && busy.length === 0 && late !== "") {
          return { left: "its PodDisruptionBudget allows no disruption" };
        }
      }
      for (const one of next) {
        if (isStale(run, moving.read)) return "stale";
        const stopped = await change(run, moving, one);
        if (stopped !== undefined) return stopped;
        if (one.place === "waiting") moving.reserved.pods += 1;
      }
      return "moving";
    },
  };
}

/**
 * Where a pod is: to be changed; with new resources in its spec, which its node has yet to give, or has given, and its images are next;
 * with all that is new in its spec, and not running it, or not ready; ready with it, and not for long enough; or for long enough.
 */
type Place = "waiting" | "resizing" | "resized" | "changing" | "baking" | "well";

interface Seen {
  readonly pod: JsonObject;
  readonly place: Place;
  /** What is to be written; nothing of a pod that has it. */
  readonly changes?: Extract<InPlace, { readonly record: string }>;
}

function isWaiting({ place }: Seen): boolean {
  return place === "waiting";
}

/** Every pod of a workload by where it is; or why the workload cannot be changed in place. */
async function seePods(
  run: Run,
  changeable: Changeable,
  object: JsonObject,
  pods: readonly JsonObject[],
): Promise<readonly Seen[] | { readonly left: string }> {
  const seen: Seen[] = [];
  for (const pod of pods) {
    const { uid, resourceVersion: version } = metadataOf(pod);
    const known = run.judged.get(uid);
    const verdict = known?.version === version ? known.verdict : (await judgePod(pod, run)).verdict;
    run.judged.set(uid, { version, verdict });
    if (verdict.state === "current" || verdict.state === "plain") {
      const has = (bake: number) => isChanged(pod, object, run.now(), bake);
      seen.push({ pod, place: !has(0) ? "changing" : has(isStopping(run) ? 0 : run.bake) ? "well" : "baking" });
      continue;
    }
    const why = whyReplaced(verdict, changeable);
    if (why !== undefined || verdict.state !== "outdated" || "why" in verdict.inPlace) return { left: String(why) };
    const { inPlace: changes } = verdict;
    const kept = await whySidecarsStay(run.kube, changeable, pod, changes.images);
    if (kept !== undefined) return { left: kept };
    const progress = resizeProgress(pod, changes.resources);
    if (typeof progress !== "string") return { left: `pod ${metadataOf(pod).name}: ${progress.why}` };
    const isResized = progress === "done" && changes.resources.length > 0;
    seen.push({ pod, changes, place: progress === "moving" ? "resizing" : isResized ? "resized" : "waiting" });
  }
  return seen;
}

function whyStuck(
  changing: readonly Seen[],
  [resizing]: readonly Seen[],
  late: string,
): Cause | { readonly left: string } | undefined {
  const [first] = changing;
  const trouble = troubleOf(changing.map(({ pod }) => pod));
  if (first !== undefined && (trouble?.isFinal === true || late !== "")) {
    const { name: pod } = metadataOf(first.pod);
    const [stale] = isReady(first.pod) ? staleImages(first.pod) : [];
    const why = stale === undefined ? "it is not ready" : `its node still runs ${String(stale.running)}`;
    const { why: said, ...found } = trouble ?? { pod, container: stale?.name ?? "-", why };
    return causeOf({ ...found, why: `${said}${late}` });
  }
  if (late === "" || resizing === undefined) return undefined;
  return { left: `pod ${metadataOf(resizing.pod).name}: its node has not given it the resources${late}` };
}

/** Writes the resources, or the images and the record. One that has changed since it was read is looked at again. */
async function change(
  run: Run,
  { tried, read }: Moving,
  { pod, changes }: Seen,
): Promise<Cause | { readonly left: string } | undefined> {
  if (changes === undefined) return undefined;
  const { held, atOnce } = run;
  const { name, namespace, uid } = metadataOf(pod);
  const path = podPath(namespace, name);
  const isResize = resizeProgress(pod, changes.resources) === "unwritten";
  if (!isResize && tried.has(uid)) return { why: "its pods differ from what the release injects", pod: name };
  await held.write({});
  if (isStale(run, read)) return undefined;
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
