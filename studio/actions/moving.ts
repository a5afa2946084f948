// Channels: what a move would change, before it is confirmed; and the move.

import { failureOf } from "../model/failure.ts";
import { type Notice, show } from "../model/notice.ts";
import {
  releasesApi as api,
  type ChangeEffect,
  FIRST_SHARE,
  mayShareFirst,
  type Planned,
  planned,
  releases,
  shownEffect,
} from "../model/releases.ts";
import { draftEdits, manifests, own, workloads, workspace } from "../model/state.ts";
import { compareInWorker } from "../model/workers.ts";
import { say } from "../text/say.ts";
import type { Move, Pair, Question } from "../wire.ts";
import { loadReleases, refresh } from "./loading.ts";

/** Reads what a change edits, and measures what it does to pods. Another change may be opened meanwhile. */
export async function readEffect(pair: Pair): Promise<void> {
  const asked: ChangeEffect = { impact: undefined };
  shownEffect.value = asked;
  const texts = await api.texts(pair).catch(() => null);
  if (shownEffect.value !== asked) return;
  const read: ChangeEffect = { ...asked, texts };
  shownEffect.value = read;
  const impact = await impactBetween(pair).catch(failureOf);
  if (shownEffect.value === read) shownEffect.value = { ...read, impact };
}

/** A handler that asks before a move. */
export function planning(move: Move): () => void {
  return () => void plan(move);
}

/**
 * Asks what it comes to to publish the edits: to a share of the workloads first where that can be. Whether it can is read now: another
 * person may have sent edits elsewhere since the page was read.
 */
export async function planPublication(): Promise<void> {
  // What cannot be read now cannot be asked either, and the question says so.
  await loadReleases().catch(failureOf);
  const mayShare = releases.value !== undefined && mayShareFirst(releases.value);
  await plan({ action: "publish", edits: [], ...(mayShare && { share: FIRST_SHARE }) });
}

/** Asks what a move comes to, and measures what that changes. A publication of edits is of those of now. */
export async function plan(wanted: Move): Promise<void> {
  const isOfEdits = wanted.action === "publish" && wanted.edits !== undefined;
  const move = isOfEdits ? { ...wanted, edits: draftEdits() } : wanted;
  const asked: Planned = { move };
  planned.value = asked;
  const question = await api.ask(move).catch(failureOf);
  // Another move may have been planned meanwhile.
  if (planned.value !== asked) return;
  const shown: Planned = "words" in question ? { move, failure: question } : { move, question };
  planned.value = shown;
  if (shown.question?.compare == null) return;
  const impact = await impactBetween(shown.question.compare).catch(failureOf);
  if (planned.value === shown) planned.value = { ...shown, impact };
}

/** What the second of two releases does to pods otherwise than the first. */
async function impactBetween({ before, after }: Pair) {
  const isOfEdits = after === "edits";
  const [old, next] = await Promise.all([api.release(before), isOfEdits ? undefined : api.release(after)]);
  const { shipped, saved } = workspace.value;
  const trees = { shipped, own: isOfEdits ? own.value : saved };
  return compareInWorker({
    kind: "compare",
    before: old,
    after: next,
    ...trees,
    manifests: manifests.value,
    workloads: workloads.value ?? [],
  });
}

/**
 * Carries out what was answered. Where that fails, the question stays open, with why: it can be answered again, unless it
 * is no longer what would be done.
 */
export async function carryOut(question: Question, why: string): Promise<void> {
  const shown = planned.value;
  if (shown?.question !== question || shown.isBusy === true) return;
  const { failure: _, ...again } = shown;
  const busy: Planned = { ...again, isBusy: true };
  planned.value = busy;
  try {
    const { message, warnings } = await api.confirm(question, why);
    if (planned.value === busy) planned.value = undefined;
    show({
      text: say(shown.move.action !== "publish" && question.compare !== null ? "moved.new-pods" : "moved"),
      original: [message, ...warnings].join(". ") || undefined,
      next: nextMove(shown.move, question),
    });
  } catch (error) {
    const failure = failureOf(error);
    planned.value = { ...again, failure, ...(MOVED.includes(failure.code) && { isMoved: true }) };
  }
  await refresh();
}

/** The codes of what was refused because something else has been done since. */
const MOVED: readonly string[] = ["channel-moved", "tree-changed"];

/** The next move for a release whose edits were published: on to the channel that follows. */
function nextMove(move: Move, { channel, isPublished }: Question): Notice["next"] {
  const { flow = [] } = releases.value ?? {};
  const to = flow[flow.indexOf(channel) + 1];
  if (move.action !== "publish" || !isPublished || to === undefined) return undefined;
  return { action: "promote", from: channel, to, share: FIRST_SHARE };
}
