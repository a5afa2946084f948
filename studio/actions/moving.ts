// Channels: what a move would change, before it is confirmed; and the move.

import { failureOf } from "../model/failure.ts";
import { reportFailure, show } from "../model/notice.ts";
import {
  compared,
  type PlannedImpact,
  planned,
  plannedImpact,
  type ReleasesApi,
  releases,
  releasesOf,
  rollouts,
  running,
} from "../model/releases.ts";
import type { Workers } from "../model/start-workers.ts";
import { manifest, workloads, workspace } from "../model/state.ts";
import { say } from "../text/say.ts";
import type { Move } from "../wire.ts";

/** Channels and clusters are read when they are looked at, and after each change. */
export async function loadReleases(api: ReleasesApi): Promise<void> {
  if (workspace.value.kind === "deployment") releases.value = await api.read();
}

/** What the releases page shows besides: how shares go, and what pods have. Each may fail by itself. */
export async function loadEvidence(api: ReleasesApi): Promise<void> {
  const shared = Object.entries(releases.value?.channels ?? {}).filter(([, { share }]) => share !== undefined);
  const [found] = await Promise.all([
    Promise.all(shared.map(async ([name]) => [name, await api.rollout(name).catch(failureOf)] as const)),
    loadRunning(api),
  ]);
  rollouts.value = Object.fromEntries(found);
}

async function loadRunning(api: ReleasesApi): Promise<void> {
  if (workspace.value.cluster !== null) running.value = await api.running().catch(failureOf);
}

export async function compareReleases(before: string, after: string, api: ReleasesApi, ask: Workers): Promise<void> {
  const asked = { before, after, impact: undefined };
  compared.value = asked;
  const impact = await impactBetween([before, after], api, ask).catch(failureOf);
  // Another comparison may have been asked for meanwhile.
  if (compared.value === asked) compared.value = { before, after, impact };
}

/** Measures what a move changes. */
export async function plan(move: Move, api: ReleasesApi, ask: Workers): Promise<void> {
  plannedImpact.value = undefined;
  planned.value = move;
  const names = releasesOf(move, releases.value);
  if (names === undefined) return;
  const found = await impactBetween(names, api, ask).catch(failureOf);
  // Another move may have been planned meanwhile.
  if (planned.value === move) plannedImpact.value = found;
}

/** What the second of two releases does to pods otherwise than the first. */
async function impactBetween(
  [before, after]: readonly [before: string, after: string],
  api: ReleasesApi,
  ask: Workers,
): Promise<PlannedImpact> {
  const [old, next] = await Promise.all([api.release(before), api.release(after)]);
  const { shipped, saved } = workspace.value;
  const manifests = manifest.value === "" ? [] : [manifest.value];
  const pods = { shipped, own: saved, manifests, workloads: workloads.value ?? [] };
  return ask.compare({ kind: "compare", before: old, after: next, ...pods });
}

export async function carryOut(move: Move, why: string, api: ReleasesApi): Promise<void> {
  planned.value = undefined;
  try {
    const { message, warnings } = await api.move(move, why);
    show({ text: say("moved"), original: [message, ...warnings].join(" ") });
  } catch (error) {
    reportFailure(error);
  }
  await loadReleases(api);
}
