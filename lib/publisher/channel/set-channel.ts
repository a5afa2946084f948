// The settings of a channel that a person may change: whether promotions to it need approval, what edits may not do by themselves,
// whether edits go to it, and which channel it follows.
import { defined, entryOf, jsonEqual, OutriggerError } from "@outrigger/base";
import type { Decision } from "../commit/decision.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import { EFFECT_NAMES, type EffectName, HELD_BY_DEFAULT } from "../effect/effects.ts";
import type { ChannelMove } from "../records/channel-record.ts";
import { type ChannelSettings, settingsOf } from "../records/channel-settings.ts";
import type { State } from "../records/read-state.ts";
import { recordOf, unknownChannel } from "../records/record-of.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import type { Following } from "../rollout/following.ts";
import { durationText } from "../rollout/judge-rollout.ts";
import { editsChannel } from "./edits-channel.ts";
import { assertServing } from "./move-checks.ts";

type Setting = PublisherRequest & { readonly action: "set-channel" };

/** @throws OutriggerError `channel-unknown` */
export function setChannel(request: Setting, state: State, { now }: PublisherDependencies): Decision {
  const { channel, approval, holds, edits, follow } = request;
  const record = entryOf(state.channels, channel);
  if (record === undefined) {
    if (edits !== true) throw unknownChannel(channel, state);
    return newChannel(request, state, now().toISOString());
  }
  const before = settingsOf(record);
  if (follow) assertFollowable(channel, follow.channel, state);
  if (edits === true && record.follows !== undefined) throw taken(channel, `it follows ${record.follows.channel}`);
  const isTaken = edits === true && editsChannel(state) !== channel;
  const isApproved = approval ?? before.approval === true;
  const settings: ChannelSettings = defined({
    approval: isApproved ? (true as const) : undefined,
    // What waits was asked for as the channel was.
    proposal: approval === undefined && holds === undefined ? before.proposal : undefined,
    holds: holds === undefined ? before.holds : holds === null ? undefined : effectsIn(holds),
    editsSince: isTaken ? now().toISOString() : before.editsSince,
    follows: follow === undefined ? before.follows : (follow ?? undefined),
  });
  const isNew = !jsonEqual({ ...settings, proposal: null }, { ...before, proposal: null });
  const message = messageOf(request, editsChannel(state));
  return {
    change: isNew ? { kind: "channel", name: channel, settings } : undefined,
    message: isNew ? message : `${message}, as before`,
    channel,
  };
}

/**
 * Refuses what could never move, or would take what nobody has judged: a circle, and a ring that edits go to.
 *
 * @throws OutriggerError `channel-unknown`, `usage`
 */
function assertFollowable(channel: string, leader: string, state: State): void {
  if (editsChannel(state) === channel) throw taken(channel, "edits go to it");
  const chain = [channel];
  for (let next: string | undefined = leader; next !== undefined; ) {
    if (chain.includes(next)) {
      const message = `Cannot let ${channel} follow ${leader}: ${[...chain.slice(chain.indexOf(next)), next].join(" follows ")}, in a circle`;
      throw new OutriggerError("usage", message, { path: channel });
    }
    chain.push(next);
    next = recordOf(next, state).follows?.channel;
  }
}

function taken(channel: string, why: string): OutriggerError {
  const message = `Cannot let ${channel} take edits and follow a channel: ${why}; use outrigger channel edits NAME, or outrigger channel follow ${channel} none`;
  return new OutriggerError("usage", message, { path: channel });
}

/** The classes that a list names, each once. */
function effectsIn(names: NonNullable<Setting["holds"]>): readonly EffectName[] {
  const meant = names.flatMap((name) => (name === "default" ? HELD_BY_DEFAULT : [name]));
  return EFFECT_NAMES.filter((name) => meant.includes(name));
}

/** A channel for edits serves what they have come to so far. */
function newChannel({ channel, cause }: Setting, state: State, at: string): Decision {
  const from = editsChannel(state);
  if (from === undefined || from === channel) throw unknownChannel(channel, state);
  const { release } = recordOf(from, state);
  const move: ChannelMove = { action: "promote", release, at, ...cause, editsSince: at };
  const message = `edits go to ${channel} from now on (${from} before); it is new, and serves what ${from} serves: ${release}`;
  return { change: { kind: "channel", name: channel, move, pinned: false }, message, channel, release };
}

function messageOf({ channel, approval, holds, edits, follow }: Setting, before: string | undefined): string {
  if (follow === null) return `${channel} follows no channel`;
  if (follow !== undefined) return followText(channel, follow);
  const since = before === channel ? "" : ` from now on (${before ?? "nowhere"} before)`;
  if (edits === true) return `edits go to ${channel}${since}`;
  if (holds !== undefined) {
    const held = effectsIn(holds ?? ["default"]);
    return held.length === 0 ? `${channel} holds no edit` : `${channel} holds edits that come to ${held.join(", ")}`;
  }
  return `${channel} takes promotions ${approval === true ? "that another person approves" : "without approval"}`;
}

/** `ring-2 takes the release of ring-1 that all of its workloads were served for 1h, once it was injected into 10 pods` */
function followText(channel: string, { channel: leader, after, pods, alarms, share }: Following): string {
  const injected = pods === 0 ? "" : `, once it was injected into ${pods} ${pods === 1 ? "pod" : "pods"}`;
  const quiet = alarms.length === 0 ? "" : `, while ${alarms.join(", ")} ${alarms.length === 1 ? "is" : "are"} quiet`;
  const part = share === undefined ? "" : `, for ${share} % of its workloads first`;
  return `${channel} takes the release of ${leader} that all workloads there were served for ${durationText(after)}${injected}${quiet}${part}`;
}

/** Removes a channel that no cluster is served from. A channel that does not exist is no error. */
export function removeChannel(
  { channel, serving, dryRun = false }: PublisherRequest & { readonly action: "remove-channel" },
  state: State,
  { layout }: PublisherDependencies,
): Decision {
  const record = entryOf(state.channels, channel);
  const isThere = record !== undefined || state.unreadable.channels.includes(channel);
  if (record !== undefined) assertServing(serving, undefined, channel, record);
  const users = Object.entries(state.clusters).filter(([, { revisions }]) =>
    Object.values(revisions).includes(channel),
  );
  const refused = (why: string) => {
    const message = `Cannot remove channel ${channel}: ${why}`;
    return new OutriggerError("channel-unknown", message, { path: layout.channel(channel) });
  };
  if (users.length > 0 || state.unreadable.clusters.length > 0) {
    const names = [...users.map(([name]) => name), ...state.unreadable.clusters].slice(0, 5).join(", ");
    throw refused(`clusters are served from it (${names}); give them another with "outrigger clusters set"`);
  }
  const behind = Object.entries(state.channels).find(([, { follows }]) => follows?.channel === channel);
  if (behind !== undefined)
    throw refused(`${behind[0]} follows it; end that with "outrigger channel follow ${behind[0]} none" first`);
  if (record !== undefined && editsChannel(state) === channel)
    throw refused('edits go to it; send them to another with "outrigger channel edits NAME" first');
  if (!isThere) return { message: `There is no channel ${channel}`, channel };
  const message = `${channel} ${dryRun ? "would be" : "is"} removed`;
  return { change: { kind: "channel", name: channel, record: null }, message, channel };
}
