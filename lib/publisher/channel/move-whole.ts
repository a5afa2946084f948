// A channel that serves another release to all its workloads, or is pinned or unpinned.
import { defined, jsonEqual } from "@outrigger/base";
import type { Share } from "@outrigger/serving";
import type { Decision } from "../commit/decision.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import type { State } from "../records/read-state.ts";
import type { ChannelMove, ChannelRecord, PublisherRequest } from "../request/publisher-request.ts";
import { assertNotPinned, assertServable, assertServing } from "./move-checks.ts";
import { endMessage, moveMessage, passedOverMessage, pinMessage } from "./move-message.ts";
import { passedTree } from "./why-edit-waits.ts";

export type Move = PublisherRequest & { readonly action: "promote" | "rollback" | "pin" | "unpin" };

/** What a move leads to. */
export interface Target {
  readonly channel: string;
  readonly record: ChannelRecord | undefined;
  readonly release: string;
}

/** The release is served to all workloads: a share ends, except by a pin, which says nothing of it. */
export async function moveWhole(
  request: Move,
  { channel, record, release }: Target,
  state: State,
  dependencies: PublisherDependencies,
): Promise<Decision> {
  assertServing(request.serving, release, channel, record);
  if (request.action === "promote" && request.unpin !== true) assertNotPinned(channel, record);
  await assertServable(release, dependencies);
  const pinned = request.action === "rollback" || request.action === "pin";
  // A pin says nothing of a share: what ends it is a release for all.
  const share = request.action === "pin" || request.action === "unpin" ? record?.share : undefined;
  const rollout = share === undefined ? undefined : record?.rollout;
  const isSame =
    record?.release === release && record.pinned === pinned && jsonEqual(record.share ?? null, share ?? null);
  const isNew = !isSame;
  const at = dependencies.now().toISOString();
  // What is pinned takes no edit, whatever the tree: it is looked at when the channel is unpinned.
  const passedOver = pinned || !isNew ? undefined : await passedTree(channel, release, state, dependencies);
  const more = defined({ share, rollout, passedOver });
  const move: ChannelMove = { action: request.action, release, at, ...request.cause, ...more };
  const message = messageOf(request, { channel, record, release }, share);
  return {
    change: isNew ? { kind: "channel", name: channel, move, pinned } : undefined,
    message: `${message}${pinMessage(record, pinned)}${passedOverMessage(passedOver)}`,
    channel,
    release,
  };
}

function messageOf({ action, dryRun = false }: Move, { channel, record, release }: Target, share: Share | undefined) {
  const isTakenBack = record?.release === release && record.share !== undefined && share === undefined;
  if (!isTakenBack) return moveMessage(channel, record, release, dryRun);
  const further = action === "rollback" ? ` (to go back further, run "outrigger rollback ${channel}" again)` : "";
  return `${endMessage(channel, record, dryRun)}${further}`;
}
