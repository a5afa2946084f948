// What is said of effects on pods: which they are, and the command by which a person accepts them.
import type { Decision } from "../commit/decision.ts";
import type { Effect } from "./effects.ts";
import type { MoveEffects } from "./judge-move.ts";

/** `container-gone (samples/plain-pod: istio-proxy)` */
export function describeEffects(effects: readonly Effect[]): string {
  return effects.map(({ name, example }) => `${name} (${example})`).join(", ");
}

/** `; what changes for pods: image, settings`: completes what is said of a move, with nothing for nothing. */
function effectsText(effects: readonly Effect[]): string {
  return effects.length === 0 ? "" : `; what changes for pods: ${effects.map(({ name }) => name).join(", ")}`;
}

/** Adds to what is decided of a move what it does to pods. */
export function withEffects(decision: Decision, { effects, warnings }: MoveEffects): Decision {
  const message = `${decision.message}${effectsText(effects)}`;
  return { ...decision, message, warnings: [...(decision.warnings ?? []), ...warnings], effects };
}

/** The two releases that a person has looked at, and what else the command that accepts it has to say. */
interface Seen {
  readonly release?: string;
  /** The release that the channel served; null for none. */
  readonly serving?: string | null;
  /** The command: `publish`, unless it is another one. */
  readonly command?: string;
}

/** The command by which a person accepts what is held: between these two releases, and nothing that comes after it. */
export function acceptCommand(
  effects: readonly Effect[],
  { release, serving, command = "publish" }: Seen = {},
): string {
  const seen = release === undefined ? "" : `@${release}`;
  const since = typeof serving === "string" ? ` --if-serving ${serving}` : "";
  return `outrigger ${command} --accept ${effects.map(({ name }) => name).join(",")}${seen}${since}`;
}

/** Says what is held, and how to look at it and accept it; callers add another way out. */
export function heldText(channel: string, held: readonly Effect[], seen: Seen & { readonly from?: string }): string {
  const { from = "source" } = seen;
  return `${describeEffects(held)}; look at "outrigger diff ${channel} ${from}", then run "${acceptCommand(held, seen)}"`;
}
