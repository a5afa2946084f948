// The running pods of a registered cluster by release, as `outrigger pods` counts them, in what the page shows of them. Loaded only when it is asked.

import { defined } from "@outrigger/base";
import type { ChannelRecord } from "@outrigger/publisher";
import { isOutdated, type RunningReport, readRunning } from "@outrigger/rollouts";
import type { RunningState } from "@outrigger/studio";
import { shareSince } from "../releases/rollout-evidence.ts";
import { openRunning, podEvidence } from "../rollouts/running-cluster.ts";
import type { Io } from "../terminal/io.ts";
import { shellWords } from "../terminal/shell-words.ts";
import type { Channels } from "./release-changes.ts";

/** Reads every pod of the cluster: for a page that asks for it now and then. */
export async function runningPods(
  options: Parameters<typeof openRunning>[0],
  channels: Channels,
  io: Io,
): Promise<RunningState> {
  const { name, kube, ...ports } = await openRunning(options, io);
  const cluster = { name, restart: `outrigger ${shellWords(restartWords(options))}` };
  return runningState(cluster, await readRunning(kube, ports), channels, new Date());
}

/** How the pods of a channel's releases do since its share began. */
export async function sharePods(
  options: Parameters<typeof openRunning>[0],
  channel: string,
  record: ChannelRecord,
  io: Io,
): ReturnType<typeof podEvidence> {
  return podEvidence(await openRunning(options, io), channel, record, shareSince(record));
}

/** Which deployment and cluster the studio was started with. */
const PLACES = ["deployment", "prefix", "publisher", "region", "profile", "kubeconfig", "context"] as const;

/** Returns the arguments of the command that replaces the pods that would come out differently now. */
export function restartWords(options: Parameters<typeof openRunning>[0]): readonly string[] {
  return ["restart", ...PLACES.flatMap((name) => (options[name] === undefined ? [] : [`--${name}`, options[name]]))];
}

/** Workloads that are named: the others are only counted. */
const MOST_NAMED = 200;

export function runningState(
  { name: cluster, restart }: { readonly name: string; readonly restart: string },
  { pods, states, workloads }: RunningReport,
  channels: Channels,
  now: Date,
): RunningState {
  const counts = countedReleases(workloads);
  const outdated = workloads.filter(isOutdated);
  return {
    cluster,
    at: now.toISOString(),
    pods,
    releases: [...counts].map(([release, count]) => {
      return { release, pods: count, ...defined({ channel: channelOf(release, channels, workloads) }) };
    }),
    replaced: Object.fromEntries(
      Object.keys(channels).map((name) => {
        const ofChannel = outdated.filter(({ channel }) => channel === name);
        return [name, Object.fromEntries(countedReleases(ofChannel))];
      }),
    ),
    states,
    restart,
    outdatedWorkloads: outdated.length,
    outdated: outdated.slice(0, MOST_NAMED).map(({ namespace, kind, name, pods: count, example }) => {
      const verdict = example?.verdict;
      const changes = verdict !== undefined && "changes" in verdict ? verdict.changes : [];
      const fields = changes.map(({ field }) => field);
      return { namespace, name: `${kind} ${name}`, pods: count, state: verdict?.state ?? "", fields };
    }),
  };
}

function countedReleases(workloads: RunningReport["workloads"]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [release, count] of workloads.flatMap(({ releases }) => Object.entries(releases))) {
    counts.set(release, (counts.get(release) ?? 0) + count);
  }
  return counts;
}

/** The channel that serves a release, to its own workloads or to a share: of several, the one that its pods are served from. */
function channelOf(release: string, channels: Channels, workloads: RunningReport["workloads"]): string | undefined {
  const serving = ([, { release: own, share }]: readonly [string, ChannelRecord]) =>
    own === release || share?.release === release;
  const names = Object.entries(channels)
    .filter(serving)
    .map(([name]) => name);
  const used = workloads.flatMap(({ channel, releases }) => (Object.hasOwn(releases, release) ? (channel ?? []) : []));
  return names.find((name) => used.includes(name)) ?? names[0];
}
