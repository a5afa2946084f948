// The restart of running pods, which the studio runs as its command does: begun, answered and stopped here, and followed while it runs.

import { reportFailure } from "../model/notice.ts";
import { restartApi as api, isRestartShown, restart } from "../model/restart.ts";
import type { CommandAction, CommandState } from "../wire.ts";
import { loadEvidence } from "./loading.ts";

/** Milliseconds between two looks at a command that runs. */
const INTERVAL = 1000;

/** Shows the restart that is under way, or plans another: nothing is restarted before a person says so. */
export async function openRestart(): Promise<void> {
  isRestartShown.value = true;
  try {
    const there = await api.read();
    const isUnderWay = there !== null && there.code === undefined;
    follow(isUnderWay ? there : await api.act("begin"));
  } catch (error) {
    isRestartShown.value = false;
    reportFailure(error);
  }
}

export async function tellRestart(action: Exclude<CommandAction, "begin">): Promise<void> {
  await api.act(action).then(follow, reportFailure);
}

/** A restart that was only planned is not left asking. */
export function closeRestart(): void {
  isRestartShown.value = false;
  if (restart.value?.question !== undefined) void tellRestart("no");
  void loadEvidence();
}

let looking: ReturnType<typeof setTimeout> | undefined;

function follow(state: CommandState | null): void {
  restart.value = state;
  clearTimeout(looking);
  if (state === null || state.code !== undefined) return;
  // The studio may not answer for a while, and the command goes on.
  const again = () => follow(restart.value);
  looking = setTimeout(() => void api.read().then(follow, again), INTERVAL);
}
