// How the channels that follow one another go: what each serves, and what its next release waits for.
import { defined, OutriggerError, ownError } from "@outrigger/base";
import { type ChannelRecord, judgeRing } from "@outrigger/publisher";
import { causeOf, type Deployment } from "../connect/deployment.ts";
import { ageOf } from "../terminal/age-of.ts";
import type { Io } from "../terminal/io.ts";
import { printResult, table } from "../terminal/print.ts";
import { readChannels } from "./read-records.ts";

/**
 * Prints a row for each channel that follows another one or is followed, those that are followed first.
 *
 * @throws OutriggerError `findings` where a ring waits for a person
 */
export async function showRings(deployment: Deployment, { json }: { readonly json?: true }, io: Io): Promise<void> {
  const rings = await readRings(deployment, io);
  const rows = rings.map(({ ring, follows, release, share, since, verdict }) => [
    ring,
    follows?.channel ?? "",
    share === undefined ? release : `${release}, ${share.release} to ${share.percent} %`,
    since === undefined ? "" : ageOf(since, Date.now()),
    verdict === undefined ? "" : verdict.kind === "advance" ? `is next: ${verdict.why}` : `waits: ${verdict.why}`,
  ]);
  const none = "No channel follows another one: see outrigger channel follow --help\n";
  const text = rows.length === 0 ? none : table(["RING", "FOLLOWS", "RELEASE", "SINCE", "NEXT"], rows);
  printResult(io, json, rings, text);
  const held = rings.find(({ verdict }) => verdict?.kind === "wait" && verdict.stuck !== undefined);
  if (held !== undefined) throw new OutriggerError("findings", `${held.ring} does not move on: ${held.verdict?.why}`);
}

/** The channels that follow another one or are followed, those that are followed first, and what the next release of each waits for. */
export async function readRings(deployment: Deployment, io: Io) {
  const { watchDeployment } = await import("../connect/connect-cluster.ts");
  const channels = await readChannels(deployment, io);
  const watch = await watchDeployment(deployment, io.env);
  const evidence = { ...watch, now: () => new Date() };
  const rings = [];
  for (const name of ringOrder(channels)) {
    const judged = await judgeRing(name, channels, evidence).then((ring) => withRefusal(name, ring, deployment));
    const { release, pinned, share, history } = channels[name] as ChannelRecord;
    const { follows, verdict } = judged ?? {};
    const since = history[0]?.at;
    rings.push({ ring: name, ...defined({ follows, since }), release, pinned, ...defined({ share, verdict }) });
  }
  return rings;
}

type JudgedRing = Awaited<ReturnType<typeof judgeRing>>;

/** The publisher knows what waits for a person. A person who may not ask it is shown what the records and the counts say. */
async function withRefusal(channel: string, ring: JudgedRing, deployment: Deployment): Promise<JudgedRing> {
  if (ring?.due === undefined || ring.verdict.kind !== "advance") return ring;
  const { channel: from, share, rollout } = ring.follows;
  const move = { from, to: channel, release: ring.due.release, ...defined({ share, rollout }) };
  try {
    await deployment.askPublisher({ action: "promote", ...move, dryRun: true, cause: await causeOf(deployment, "") });
    return ring;
  } catch (error) {
    const { code, message } = ownError(error);
    if (code !== "edit-held" && code !== "channel-pinned") return ring;
    return { ...ring, verdict: { kind: "wait", why: message, stuck: 1 } };
  }
}

/** The channels of rings: each behind the one that it follows. */
function ringOrder(channels: Readonly<Record<string, ChannelRecord>>): readonly string[] {
  const leaderOf = (name: string) => channels[name]?.follows?.channel;
  const names = Object.keys(channels);
  const isFollowed = (name: string) => names.some((other) => leaderOf(other) === name);
  const rings = names.filter((name) => leaderOf(name) !== undefined || isFollowed(name));
  const depthOf = (name: string) => ringDepth(name, channels);
  return rings.sort((one, other) => depthOf(one) - depthOf(other) || (one < other ? -1 : 1));
}

/** How many channels a channel is behind: 0 for one that follows none. */
export function ringDepth(
  name: string,
  channels: Readonly<Record<string, Pick<ChannelRecord, "follows">>>,
  seen: readonly string[] = [],
): number {
  const leader = channels[name]?.follows?.channel;
  // Records that people wrote by hand may go in a circle.
  return leader === undefined || seen.includes(leader) ? 0 : 1 + ringDepth(leader, channels, [...seen, name]);
}
