// How the channels that follow one another go: what each serves, and what its next release waits for.
import { defined, OutriggerError, ownError } from "@outrigger/base";
import { type ChannelRecord, judgeRing } from "@outrigger/publisher";
import { causeOf, type Deployment } from "../connect/deployment.ts";
import type { RunningOptions } from "../options/cluster-options.ts";
import { CLUSTERS_AT_ONCE, type SelectionOptions, selectsClusters } from "../options/selection-options.ts";
import { ageOf } from "../terminal/age-of.ts";
import type { Io } from "../terminal/io.ts";
import { printResult, table } from "../terminal/print.ts";
import { readChannels } from "./read-records.ts";

type Watching = RunningOptions & Partial<SelectionOptions> & { readonly json?: true };

/**
 * Prints a row for each channel that follows another one or is followed, those that are followed first; and, where clusters are selected,
 * one for each that is served a release that a ring takes next, with what its pods show.
 *
 * @throws OutriggerError `cluster-unreachable` where a cluster could not be asked; `findings` where a ring waits for a person, or pods are worse
 */
export async function showRings(deployment: Deployment, options: Watching, io: Io): Promise<void> {
  const channels = await readChannels(deployment, io);
  const rings = await judgeRings(channels, deployment, io);
  const pods = selectsClusters(options) ? await podsOf(channels, rings, options, io) : undefined;
  const rows = rings.map(({ ring, follows, release, share, since, verdict }) => [
    ring,
    follows?.channel ?? "",
    share === undefined ? release : `${release}, ${share.release} to ${share.percent} %`,
    since === undefined ? "" : ageOf(since, Date.now()),
    verdict === undefined ? "" : verdict.kind === "advance" ? `is next: ${verdict.why}` : `waits: ${verdict.why}`,
  ]);
  const none = "No channel follows another one: see outrigger channel follow --help\n";
  const text = rows.length === 0 ? none : table(["RING", "FOLLOWS", "RELEASE", "SINCE", "NEXT"], rows);
  const seen = pods?.map(({ cluster, channel, release, why }) => [cluster, channel, release, why]) ?? [];
  const watched = seen.length === 0 ? "" : `\n${table(["CLUSTER", "CHANNEL", "RELEASE", "PODS"], seen)}`;
  const value = rings.map((ring) => {
    const own = pods?.filter(({ channel }) => channel === ring.ring).map(({ channel: _, ...each }) => each);
    return { ...ring, ...defined({ pods: own }) };
  });
  printResult(io, options.json, value, `${text}${watched}`);
  const { said, isUnread } = faultsOf(rings, pods ?? []);
  if (said.length > 0) throw new OutriggerError(isUnread ? "cluster-unreachable" : "findings", said.join("; "));
}

/** What is not well, a sentence each: that a cluster could not be read is the worst, as nobody knows what else is there. */
function faultsOf(rings: Rings, pods: Awaited<ReturnType<typeof podsOf>>) {
  const said: string[] = [];
  const worse = pods.find(({ verdict }) => verdict === "worse" || verdict === "suspect");
  if (worse !== undefined) {
    const { cluster, channel, release, why } = worse;
    const fix = `"outrigger pin ${channel}" holds what follows it`;
    said.push(`The pods of ${release} in ${cluster} are not well: ${why}; ${fix}`);
  }
  const held = rings.find(({ verdict }) => verdict?.kind === "wait" && verdict.stuck !== undefined);
  if (held !== undefined) said.push(`${held.ring} does not move on: ${held.verdict?.why}`);
  const unread = pods.filter(({ verdict }) => verdict === "unread").map(({ cluster }) => cluster);
  if (unread.length > 0) said.push(`The pods of ${unread.join(", ")} could not be read`);
  return { said, isUnread: unread.length > 0 };
}

/** What the pods show of the releases that rings take next. */
async function podsOf(channels: Channels, rings: Rings, options: Watching, io: Io) {
  const isAhead = (name: string) =>
    rings.some(({ follows, release }) => follows?.channel === name && channels[name]?.release !== release);
  const followed = Object.fromEntries(Object.entries(channels).filter(([name]) => isAhead(name)));
  const { readRingPods } = await import("../rollouts/ring-pods.ts");
  return readRingPods(followed, { maxConcurrency: CLUSTERS_AT_ONCE, ...options }, io);
}

type Channels = Readonly<Record<string, ChannelRecord>>;
type Rings = Awaited<ReturnType<typeof judgeRings>>;

/** The channels that follow another one or are followed, those that are followed first, and what the next release of each waits for. */
export async function readRings(deployment: Deployment, io: Io) {
  return judgeRings(await readChannels(deployment, io), deployment, io);
}

async function judgeRings(channels: Channels, deployment: Deployment, io: Io) {
  const { watchDeployment } = await import("../connect/connect-cluster.ts");
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
function ringOrder(channels: Channels): readonly string[] {
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
