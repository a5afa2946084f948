// What moving a channel to a release that is there already is refused for, whatever it does to pods, in the order of the checks.
import { OutriggerError } from "@outrigger/base";
import type { PublisherDependencies } from "../dependencies.ts";
import { assertApproved } from "../records/channel-settings.ts";
import type { StoredRelease } from "../release/release-object.ts";
import type { AskedPromotion, AskedReturn, Promotion } from "./asked-move.ts";
import { assertNotPinned, assertNotRolling, assertServable, assertServing } from "./move-checks.ts";

/**
 * Refuses a move that may not be made, or not from what the channel serves by now. Returns the release that it is about; undefined where
 * a share is taken back.
 *
 * @throws OutriggerError `channel-moved`, `channel-pinned`, `usage`, `release-unknown`, `release-unsupported` or `store-corrupt`
 */
export async function assertMovable(
  move: AskedReturn | AskedPromotion,
  dependencies: PublisherDependencies,
): Promise<StoredRelease | undefined> {
  if (move.kind === "promotion") return assertPromotable(move, dependencies);
  const { request, channel, record, release } = move;
  if (record !== undefined && request.action !== "unpin") assertApproved(channel, record, release);
  assertServing(request.serving, release, channel, record);
  return assertServable(release, dependencies);
}

async function assertPromotable(
  move: AskedPromotion,
  dependencies: PublisherDependencies,
): Promise<StoredRelease | undefined> {
  const { request, channel, record, release, needsApproval, isPart, isOfRollout } = move;
  const { share, serving, replace, unpin } = request;
  await assertRollout(request, dependencies);
  if (replace !== true && !isOfRollout) assertNotRolling(channel, record, `promote to ${channel}`, "use --force");
  assertServing(serving, needsApproval || isPart ? undefined : release, channel, record);
  if (share === 0) return undefined;
  if (unpin !== true) assertNotPinned(channel, record);
  return assertServable(release, dependencies);
}

/** @throws OutriggerError `usage` for a plan without a share, and for an alarm that does not exist or is up */
async function assertRollout({ share, rollout, to }: Promotion, { alarmStates }: PublisherDependencies): Promise<void> {
  if (rollout === undefined) return;
  const refuse = (why: string) => new OutriggerError("usage", `Cannot begin a rollout of ${to}: ${why}`, { path: to });
  if (share === undefined || share < 1 || share > 99)
    throw refuse("a rollout begins with a share of 1 to 99 percent (--share)");
  const [next] = rollout.next;
  if (next !== undefined && next <= share)
    throw refuse(`its next share, ${next}, must be more than the first, ${share}`);
  if (rollout.alarms.length === 0) return;
  if (alarmStates === undefined) throw refuse("this publisher reads no alarms; leave --abort-on out");
  const states = await alarmStates(rollout.alarms);
  for (const alarm of rollout.alarms) {
    if (states[alarm] === undefined) throw refuse(`there is no alarm ${alarm} in this account and Region`);
    if (states[alarm] === "ALARM") throw refuse(`alarm ${alarm} is up already`);
  }
}
