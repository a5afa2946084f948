// The one decision by which a channel comes to serve something: whether that is new, the move that is kept, and what is answered.
import { defined, entryOf, type JsonValue, jsonEqual } from "@outrigger/base";
import type { Decision } from "../commit/carry-out.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import { type ChannelMove, type ChannelRecord, releaseOf } from "../records/channel-record.ts";
import type { State } from "../records/read-state.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import { durationText } from "../rollout/judge-rollout.ts";
import type { Rollout, RolloutPlan } from "../rollout/rollout.ts";
import { passedTree } from "./move-checks.ts";

export interface Wanted extends Pick<ChannelRecord, "release" | "pinned"> {
  readonly action: ChannelMove["action"];
  readonly share?: ChannelRecord["share"] | undefined;
  /** Begins now, unless it has begun. */
  readonly rollout?: RolloutPlan | Rollout | undefined;
  /** The parts of a publication, or a promotion, that the channel's history keeps. */
  readonly published?: Partial<ChannelMove>;
}

/** Decides a move of a channel; the decision has no change where the channel serves the release already. */
export async function decideMove(
  channel: string,
  { action, release, share, rollout: plan, pinned, published }: Wanted,
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
  const passed = isLooked ? await passedTree(channel, release, state, dependencies) : undefined;
  const passedOver = isOwn ? before.history[0]?.passedOver : passed;
  const move: ChannelMove = { action, release, at, ...cause, ...defined({ share, rollout, passedOver }), ...published };
  const unpinned = before?.pinned === true ? ", not pinned any more" : "";
  const said = serveText(channel, before, { action, release, share }, isSame ? undefined : dryRun);
  return {
    change: isNew ? { kind: "channel", name: channel, move, pinned } : undefined,
    message: `${said}${pinned ? ", pinned" : unpinned}${rolloutText(rollout)}${passed === undefined ? "" : PASSED_OVER}`,
    channel,
    release: releaseOf(move),
  };
}

/** The way on for edits that a move has passed over: the tree is what they have led to. */
const PASSED_OVER =
  '; the source tree is another one, and stays unpublished until it is edited again or published ("outrigger publish")';

/** Returns what was asked for, without when it began, or null for no rollout. */
export function planOf(rollout: RolloutPlan | Rollout | undefined): JsonValue {
  if (rollout === undefined) return null;
  const { since: _, ...plan } = rollout as Rollout;
  return plan;
}

/**
 * `stable serves 1f2e… now (77aa… before)`
 *
 * @param dryRun left out: it serves that already
 */
export function serveText(
  channel: string,
  before: Pick<ChannelRecord, "release" | "share"> | undefined,
  { action, release, share }: Pick<Wanted, "action" | "release" | "share">,
  dryRun?: boolean,
): string {
  const serves = `${channel} ${dryRun === true ? "would serve" : "serves"}`;
  const asBefore = dryRun === undefined ? ", as before" : "";
  if (share?.percent === 100)
    return `${serves} ${share.release} to all workloads, and can still go back to ${release} by itself${asBefore}`;
  if (share !== undefined)
    return `${serves} ${share.release} to ${share.percent} % of the workloads, and ${release} to the others${asBefore}`;
  if (dryRun === undefined) return `${serves} ${release}${asBefore}`;
  if (before?.release === release && before.share !== undefined) {
    const further = action === "rollback" ? ` (to go back further, run "outrigger rollback ${channel}" again)` : "";
    return `${serves} ${release} to all workloads; ${before.share.release} is taken back from ${before.share.percent} %${further}`;
  }
  const was = before === undefined ? "a new channel" : `${before.release} before`;
  return `${serves} ${release}${dryRun ? "" : " now"} (${was})`;
}

function rolloutText(rollout: RolloutPlan | undefined): string {
  if (rollout === undefined) return "";
  const { next, bake, alarms, restart } = rollout;
  const shares = next.map((percent) => `${percent} %`).join(", ");
  const when = restart === true ? "when the pods before have been good for" : "every";
  const steps = bake === undefined || next.length === 0 ? "" : `; ${shares} ${when} ${durationText(bake)}`;
  return alarms.length === 0 ? steps : `${steps}; taken back if an alarm is up: ${alarms.join(", ")}`;
}
