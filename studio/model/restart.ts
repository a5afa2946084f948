// The restart of running pods, as the studio's command says how it is.

import { signal } from "@preact/signals";
import type { CommandAction, CommandState } from "../wire.ts";
import { askApi, sending } from "./connection.ts";

/** Null before the first. */
export const restart = signal<CommandState | null>(null);

export const isRestartShown = signal(false);

export const restartApi = {
  read: () => askApi("/api/restart") as Promise<CommandState | null>,
  act: (action: CommandAction) => askApi("/api/restart", sending("POST", { action })) as Promise<CommandState>,
};
