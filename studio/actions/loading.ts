// Reading what the page shows: the workspace, the channels, and what the running pods and shares do.

import { askApi, isLost } from "../model/connection.ts";
import { settle } from "../model/drafts.ts";
import { failureOf, isUnanswered } from "../model/failure.ts";
import { reportFailure } from "../model/notice.ts";
import { releasesApi as api, planned, releases, rings, rollouts, running, wholeHistory } from "../model/releases.ts";
import { drafts, workloads, workspace } from "../model/state.ts";
import { source } from "../model/workspace.ts";
import type { ClusterWorkload } from "../wire.ts";

/** Loads the workspace again. Drafts stay: those that say what is saved now are done. */
export async function load(): Promise<void> {
  workspace.value = await source.load();
  drafts.value = settle(drafts.value, workspace.value.saved);
}

/** All again, after a move, a change by another user or a silence. */
export async function refresh(): Promise<void> {
  try {
    await Promise.all([load(), loadReleases()]);
  } catch (error) {
    // The last sign of life may have been on its way when the server went.
    if (isUnanswered(error)) isLost.value = true;
    else reportFailure(error);
  }
}

/** Channels and clusters are read when they are looked at, and after each change. */
export async function loadReleases(): Promise<void> {
  if (workspace.value.kind !== "deployment") return;
  const [state, whole] = await Promise.all([api.read(), wholeHistory.value && api.history()]);
  releases.value = state;
  wholeHistory.value = whole;
  await reviewPlanned();
}

/** Whether an open question would be answered otherwise by now. */
async function reviewPlanned(): Promise<void> {
  const shown = planned.value;
  if (shown?.question === undefined || shown.isBusy === true) return;
  const now = await api.ask(shown.move).catch(failureOf);
  const isSame = !("words" in now) && now.id === shown.question.id;
  if (!isSame && planned.value === shown) planned.value = { ...shown, isMoved: true };
}

/** What the releases page shows besides: how shares go, and what pods have. Each may fail by itself. */
export async function loadEvidence(): Promise<void> {
  const shared = Object.entries(releases.value?.channels ?? {}).filter(([, { share }]) => share !== undefined);
  const pods = workspace.value.cluster === null ? undefined : api.running().catch(failureOf);
  const isRinged = Object.values(releases.value?.channels ?? {}).some(({ follows }) => follows !== undefined);
  const following = isRinged ? api.rings().catch(failureOf) : [];
  const found = shared.map(async ([name]) => [name, await api.rollout(name).catch(failureOf)] as const);
  rollouts.value = Object.fromEntries(await Promise.all(found));
  rings.value = await following;
  running.value = await pods;
}

/** The changes as far back as they are kept. */
export async function loadHistory(): Promise<void> {
  wholeHistory.value = await api.history();
}

/** Where that fails there are none, which is said once. */
export async function loadWorkloads(): Promise<void> {
  if (workspace.value.cluster === null) return;
  try {
    workloads.value = (await askApi("/api/workloads")) as readonly ClusterWorkload[];
  } catch (error) {
    workloads.value = [];
    throw error;
  }
}
