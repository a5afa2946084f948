// The restart that a move of a channel would bring, before the channel moves: which workloads, in which order, and which next pods the
// cluster would not take. Loaded only when a command runs.
import { planRestart, type RestartQuestion, tryPlan } from "@outrigger/rollouts";
import { isInShare } from "@outrigger/serving";
import type { RunningOptions } from "../options/cluster-options.ts";
import type { Io } from "../terminal/io.ts";
import { planText } from "./restart-workloads.ts";
import { openRunning } from "./running-cluster.ts";

interface Ahead {
  readonly channel: string;
  /** The release that the channel would serve. */
  readonly release: string;
  readonly question: RestartQuestion;
  readonly shares?: readonly number[] | undefined;
}

/** Plans the restart, and tries each next pod as the release injects it. Nothing is written. */
export async function planAhead({ channel, release, question, shares }: Ahead, options: RunningOptions, io: Io) {
  const cluster = await (await openRunning(options, io)).ifServed(channel, release);
  const { name, kube } = cluster;
  const planned = await planRestart(kube, cluster, question);
  const stepOf = (workload: (typeof planned.restart)[number]) =>
    shares?.find((percent) => isInShare({ ...workload, cluster: name }, percent));
  // What no share reaches keeps what it has.
  const reached = shares === undefined ? planned.restart : planned.restart.filter((one) => stepOf(one) !== undefined);
  const byStep = reached.toSorted((one, other) => (stepOf(one) ?? 0) - (stepOf(other) ?? 0));
  const { restart, left, untried } = await tryPlan({ ...cluster, isAhead: true }, { ...planned, restart: byStep });
  const listed = restart.map((workload) => {
    const { namespace, kind, name: own, pods } = workload;
    const share = stepOf(workload);
    return { namespace, kind, name: own, pods, ...(share !== undefined && { share }) };
  });
  const notTried = untried.map((why) => `Next pods are not tried: ${why}\n`).join("");
  const text = `${planText({ restart, left }, question, stepOf)}${notTried}`;
  return { value: { cluster: name, restart: listed, left, untried }, text };
}
