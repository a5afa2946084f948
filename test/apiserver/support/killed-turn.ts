// Whose turn it is among the stories that kill a command, or a restart, at each of its writes. Each takes up to a minute, and tells
// of other writes what the others tell: a commit runs one of them all.
import { turnOf } from "../../support/in-turn.ts";

const SHARES = { commands: 18, restarts: 12 } as const;

/** Commands have the first shares. */
export const commandsTurn = turnOf(
  "Commands and restarts that are killed at each write, on a real API server",
  SHARES.commands + SHARES.restarts,
);

/** Restarts have those behind them. */
export const restartsTurn = {
  shares: SHARES.restarts,
  has: (share: number) => commandsTurn.has(SHARES.commands + share),
};
