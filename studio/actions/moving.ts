// Channels: what a move would change, before it is confirmed; and the move.

import { failureOf } from "../model/failure.ts";
import { type Notice, show } from "../model/notice.ts";
import {
  releasesApi as api,
  compared,
  FIRST_SHARE,
  type Planned,
  type PlannedImpact,
  planned,
  releases,
  rollouts,
  running,
  wholeHistory,
} from "../model/releases.ts";
import type { Workers } from "../model/start-workers.ts";
import { draftEdits, manifest, own, workloads, workspace } from "../model/state.ts";
import { say } from "../text/say.ts";
import type { Move, Pair, Question } from "../wire.ts";

/** Channels and clusters are read when they are looked at, and after each change. */
export async function loadReleases(): Promise<void> {
  if (workspace.value.kind !== "deployment") return;
  releases.value = await api.read();
  await reviewPlanned();
}

/** What the releases page shows besides: how shares go, and what pods have. Each may fail by itself. */
export async function loadEvidence(): Promise<void> {
  const shared = Object.entries(releases.value?.channels ?? {}).filter(([, { share }]) => share !== undefined);
  const [found] = await Promise.all([
    Promise.all(shared.map(async ([name]) => [name, await api.rollout(name).catch(failureOf)] as const)),
    loadRunning(),
  ]);
  rollouts.value = Object.fromEntries(found);
}

/** The moves of all channels, as far back as they are kept. */
export async function loadHistory(): Promise<void> {
  const { flow = [] } = releases.value ?? {};
  const read = flow.map(async (channel) => [channel, await api.history(channel)] as const);
  wholeHistory.value = Object.fromEntries(await Promise.all(read));
}

async function loadRunning(): Promise<void> {
  if (workspace.value.cluster !== null) running.value = await api.running().catch(failureOf);
}

export async function compareReleases(pair: Pair, ask: Workers): Promise<void> {
  const asked = { ...pair, impact: undefined };
  compared.value = asked;
  const impact = await impactBetween(pair, ask).catch(failureOf);
  // Another comparison may have been asked for meanwhile.
  if (compared.value === asked) compared.value = { ...pair, impact };
}

/** Asks what a move comes to, and measures what that changes. A publication of edits is of those of now. */
export async function plan(wanted: Move, ask: Workers): Promise<void> {
  const isOfEdits = wanted.action === "publish" && wanted.edits !== undefined;
  const move = isOfEdits ? { ...wanted, edits: draftEdits() } : wanted;
  const asked: Planned = { move };
  planned.value = asked;
  const question = await api.ask(move).catch(failureOf);
  // Another move may have been planned meanwhile.
  if (planned.value !== asked) return;
  const shown: Planned = { move, question };
  planned.value = shown;
  if ("words" in question || question.compare === null) return;
  const impact = await impactBetween(question.compare, ask).catch(failureOf);
  if (planned.value === shown) planned.value = { ...shown, impact };
}

/** Whether an open question would be answered otherwise by now. */
async function reviewPlanned(): Promise<void> {
  const shown = planned.value;
  if (shown?.question === undefined || "words" in shown.question || shown.isBusy === true) return;
  const now = await api.ask(shown.move).catch(failureOf);
  const isSame = !("words" in now) && now.id === shown.question.id;
  if (!isSame && planned.value === shown) planned.value = { ...shown, isMoved: true };
}

/** What the second of two releases does to pods otherwise than the first. */
async function impactBetween({ before, after }: Pair, ask: Workers): Promise<PlannedImpact> {
  const isOfEdits = after === "edits";
  const [old, next] = await Promise.all([api.release(before), isOfEdits ? undefined : api.release(after)]);
  const { shipped, saved } = workspace.value;
  const manifests = manifest.value === "" ? [] : [manifest.value];
  const pods = { shipped, own: isOfEdits ? own.value : saved, manifests, workloads: workloads.value ?? [] };
  return ask.compare({ kind: "compare", before: old, after: next, ...pods });
}

/**
 * Carries out what was answered. Where that is refused, the question stays open, with why.
 *
 * @param refresh reads the state after it
 */
export async function carryOut(question: Question, why: string, refresh: () => Promise<void>): Promise<void> {
  const shown = planned.value;
  if (shown?.question !== question || shown.isBusy === true) return;
  const { failure: _, ...again } = shown;
  const busy: Planned = { ...again, isBusy: true };
  planned.value = busy;
  try {
    const { message, warnings } = await api.confirm(question, why);
    if (planned.value === busy) planned.value = undefined;
    show({
      text: say("moved"),
      original: [message, ...warnings].join(" ") || undefined,
      next: nextMove(shown.move, question),
    });
  } catch (error) {
    planned.value = { ...again, failure: failureOf(error), isMoved: true };
  }
  await refresh();
}

/** Where edits were published, the release goes on to the channel that follows. */
function nextMove(move: Move, { channel, isPublished }: Question): Notice["next"] {
  const { flow = [] } = releases.value ?? {};
  const to = flow[flow.indexOf(channel) + 1];
  if (move.action !== "publish" || !isPublished || to === undefined) return undefined;
  return { action: "promote", from: channel, to, share: FIRST_SHARE };
}
