// Where the tool keeps what it remembers between two commands on this machine.
import { isAbsolute, join } from "node:path";
import type { Io } from "../terminal/io.ts";

/** `$XDG_STATE_HOME/outrigger`, if that is an absolute path as its specification demands, or `~/.local/state/outrigger`; undefined where the environment names neither. */
export function stateDirectory(env: Io["env"]): string | undefined {
  const home = env["HOME"] || env["USERPROFILE"];
  const named = env["XDG_STATE_HOME"] ?? "";
  const state = isAbsolute(named) ? named : home ? join(home, ".local", "state") : undefined;
  return state === undefined ? undefined : join(state, "outrigger");
}
