// The one decision by which a channel comes to serve something: whether that is new, and the move that is kept.
import { defined, entryOf, type JsonValue, jsonEqual } from "@outrigger/base";
import type { Decision } from "../commit/decision.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import { type ChannelMove, type ChannelRecord, releaseOf } from "../records/channel-record.ts";
import type { State } from "../records/read-state.ts";
import type { ReleaseOrigin } from "../release/release-object.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import type { Rollout, RolloutPlan } from "../rollout/rollout.ts";
import { passedTree } from "./passed-tree.ts";
import { moveText } from "./say-move.ts";

export interface Wanted extends Pick<ChannelRecord, "release" | "pinned"> {
  readonly action: ChannelMove["action"];
  readonly share?: ChannelRecord["share"] | undefined;
  /** Begins now, unless it has begun. */
  readonly rollout?: RolloutPlan | Rollout | undefined;
  /** How the release was made, where it is known. */
  readonly origin?: ReleaseOrigin | undefined;
  /** The parts of a publication, or a promotion, that the channel's history keeps. */
  readonly published?: Partial<ChannelMove>;
}

/** Decides a move of a channel; the decision has no change where the channel serves the release already. */
export async function decideMove(
  channel: string,
  { action, release, share, rollout: plan, pinned, origin, published }: Wanted,
  { cause, dryRun = false }: Pick<PublisherRequest, "cause" | "dryRun">,
  state: State,
  dependencies: PublisherDependencies,
): Promise<Decision> {
  const before = entryOf(state.channels, channel);
  const at = dependencies.now().toISOString();
  const rollout = plan && { ...plan, since: "since" in plan ? plan.since : at };
  const isSame =
    before?.release === release &&
    jsonEqual(before.share ?? null, share ?? null) &&
    jsonEqual(planOf(before.rollout), planOf(rollout));
  const isNew = !isSame || before.pinned !== pinned;
  // A share leaves the channel's own release, and the tree that it has passed over, as they are.
  const isOwn = before?.release === release && before.pinned === pinned;
  const isLooked = action !== "publish" && !isOwn && !pinned;
  const passed = isLooked ? await passedTree(channel, origin, state, dependencies) : undefined;
  const passedOver = isOwn ? before.history[0]?.passedOver : passed;
  const move: ChannelMove = { action, release, at, ...cause, ...defined({ share, rollout, passedOver }), ...published };
  const tense = isSame ? "already" : dryRun ? "would" : "now";
  const isPassing = passed !== undefined;
  return {
    change: isNew ? { kind: "channel", name: channel, move, pinned } : undefined,
    message: moveText(channel, { action, release, share, rollout, pinned, before, tense, isPassing }),
    channel,
    release: releaseOf(move),
  };
}

/** Returns what was asked for, without when it began, or null for no rollout. */
export function planOf(rollout: RolloutPlan | Rollout | undefined): JsonValue {
  if (rollout === undefined) return null;
  const { since: _, ...plan } = rollout as Rollout;
  return plan;
}
