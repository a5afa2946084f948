// Refusing a rollout that could not be watched: before anything is served, not when it is too late.
import { OutriggerError } from "@outrigger/base";
import type { PublisherDependencies } from "../dependencies.ts";
import type { PublisherRequest } from "../request/publisher-request.ts";
import { durationText, type RolloutPlan } from "./rollout.ts";

type Promotion = PublisherRequest & { readonly action: "promote" };

/** @throws OutriggerError `usage` for a plan without a share, and for an alarm that does not exist or is up */
export async function assertRollout(
  { share, rollout, to }: Promotion,
  { alarmStates }: PublisherDependencies,
): Promise<void> {
  if (rollout === undefined) return;
  const refuse = (why: string) => new OutriggerError("usage", `Cannot begin a rollout of ${to}: ${why}`, { path: to });
  if (share === undefined || share < 1 || share > 99) {
    throw refuse("a rollout begins with a share of 1 to 99 percent (--share)");
  }
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

/** What becomes of a share by itself, for the answer. */
export function rolloutMessage(rollout: RolloutPlan | undefined): string {
  if (rollout === undefined) return "";
  const { next, bake, alarms, restart } = rollout;
  const shares = next.map((percent) => `${percent} %`).join(", ");
  const when = restart === true ? "when the pods before have been good for" : "every";
  const steps = bake === undefined || next.length === 0 ? "" : `; ${shares} ${when} ${durationText(bake)}`;
  return alarms.length === 0 ? steps : `${steps}; taken back if an alarm is up: ${alarms.join(", ")}`;
}
