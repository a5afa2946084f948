// What moves a channel without compiling anything: promote, rollback, pin and unpin.
import type { Decision } from "../commit/decision.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import { assertApproved } from "../records/channel-settings.ts";
import { entryOf } from "../records/read-records.ts";
import type { State } from "../records/read-state.ts";
import { recordOf } from "./move-checks.ts";
import { type Move, moveWhole } from "./move-whole.ts";
import { promote } from "./promote.ts";
import { rollbackTarget } from "./rollback-target.ts";

/**
 * Moves a channel to a release that is there already.
 *
 * | action   | release                                   | pinned after it |
 * |----------|-------------------------------------------|-----------------|
 * | promote  | that of the channel it is promoted from   | no              |
 * | rollback | the one before, or the one that is named; during a share the one that it has | yes |
 * | pin      | the one that it has, or the one that is named | yes         |
 * | unpin    | the one that it has                       | no              |
 *
 * @throws OutriggerError `channel-unknown`, `channel-moved`, `channel-pinned`, `release-unknown`, `release-unsupported` or
 * `store-corrupt`
 */
export async function moveChannel(request: Move, state: State, dependencies: PublisherDependencies): Promise<Decision> {
  if (request.action === "promote") return promote(request, state, dependencies);
  const record = entryOf(state.channels, request.channel);
  const release = releaseFor(request, state);
  if (record !== undefined && request.action !== "unpin") assertApproved(request.channel, record, release);
  return moveWhole(request, { channel: request.channel, record, release }, state, dependencies);
}

function releaseFor(request: Exclude<Move, { readonly action: "promote" }>, state: State): string {
  const named = "release" in request ? request.release : undefined;
  if (named !== undefined) return named;
  const record = recordOf(request.channel, state);
  return request.action === "rollback" ? rollbackTarget(request.channel, record) : record.release;
}
