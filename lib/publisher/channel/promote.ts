// Promoting a release from one channel to another: to all workloads, to a share of them, or as a proposal that another
// person approves.
import { defined, jsonEqual, OutriggerError } from "@outrigger/base";
import type { Decision } from "../commit/decision.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import { approved, type Proposal, settingsOf } from "../records/channel-settings.ts";
import { entryOf } from "../records/read-records.ts";
import type { State } from "../records/read-state.ts";
import type { ChannelRecord, PublisherRequest } from "../request/publisher-request.ts";
import { assertRollout } from "../rollout/assert-rollout.ts";
import { assertNotPinned, assertServable, assertServing, recordOf } from "./move-checks.ts";
import { moveShare, planOf } from "./move-share.ts";
import { moveWhole, type Target } from "./move-whole.ts";
import { assertNotRolling } from "./why-edit-waits.ts";

type Promotion = PublisherRequest & { readonly action: "promote" };

/** On a channel that needs approval, what is asked for waits, and what is approved is made as it was asked for. */
export async function promote(
  request: Promotion,
  state: State,
  dependencies: PublisherDependencies,
): Promise<Decision> {
  const channel = request.to;
  const record = entryOf(state.channels, channel);
  const wanted = request.approve === true ? approvedRequest(request, record, dependencies) : request;
  const release = wanted.approve === true ? (wanted.release as string) : promoted(wanted, state);
  await assertRollout(wanted, dependencies);
  if (wanted.replace !== true && !isOfRollout(wanted, release, record)) {
    assertNotRolling(channel, record, { what: `promote to ${channel}`, way: "use --replace" });
  }
  const isFree = wanted.approve === true || wanted.share === 0 || record?.release === release;
  if (record?.approval === true && !isFree) return propose(wanted, { channel, record, release }, dependencies);
  if (isPart(wanted.share)) {
    return moveShare({ request: wanted, share: { release, percent: wanted.share }, record }, state, dependencies);
  }
  return moveWhole(wanted, { channel, record, release }, state, dependencies);
}

/** Whether a promotion ends a rollout as it was meant to end, or repeats the request that has begun it. */
function isOfRollout({ share, rollout }: Promotion, release: string, record: ChannelRecord | undefined): boolean {
  if (share === 0) return true;
  if (!isPart(share)) return record?.share?.release === release;
  return (
    jsonEqual(record?.share ?? null, { release, percent: share }) && jsonEqual(planOf(record?.rollout), planOf(rollout))
  );
}

function approvedRequest(
  request: Promotion,
  record: ChannelRecord | undefined,
  { now }: PublisherDependencies,
): Promotion {
  const { from, to, release, cause } = request;
  const proposal = approved(to, record ?? {}, { from, release, by: cause.by, now: now() });
  const { share, rollout, serving } = proposal;
  const why = cause.why === "" ? proposal.why : cause.why;
  return {
    ...request,
    release: proposal.release,
    serving,
    ...defined({ share, rollout }),
    cause: { by: `${proposal.by}, approved by ${cause.by}`, why },
  };
}

/** What `from` serves, where that is what the request saw. */
function promoted(request: Promotion, state: State): string {
  const { release } = recordOf(request.from, state);
  if (request.release === undefined || request.release === release) return release;
  const message = `Cannot promote ${request.release}: ${request.from} serves ${release} now; look at "outrigger diff ${request.to} ${request.from}" and ask again`;
  throw new OutriggerError("channel-moved", message, { path: request.from });
}

/** Whether a promotion is of less than all workloads; 0 takes the share back. */
function isPart(share: number | undefined): share is number {
  return share !== undefined && share < 100;
}

async function propose(
  request: Promotion,
  { channel, record, release }: Target & { readonly record: ChannelRecord },
  dependencies: PublisherDependencies,
): Promise<Decision> {
  assertServing(request.serving, undefined, channel, record);
  if (request.unpin !== true) assertNotPinned(channel, record);
  await assertServable(release, dependencies);
  const { from, share, rollout, cause } = request;
  const at = dependencies.now().toISOString();
  const serving = record.release;
  const proposal: Proposal = { from, release, serving, ...defined({ share, rollout }), ...cause, at };
  const { at: _, ...asked } = record.proposal ?? { at };
  const { at: __, ...asks } = proposal;
  const isNew = !jsonEqual(asked, asks);
  const what = share === undefined ? release : `${release} to ${share} % of the workloads`;
  return {
    change: isNew ? { kind: "channel", name: channel, settings: { ...settingsOf(record), proposal } } : undefined,
    message: `${channel} goes on serving ${serving} until another person approves ${what}: outrigger promote ${from} ${channel} --approve`,
    channel,
    release,
  };
}
