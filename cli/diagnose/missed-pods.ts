// Pods that run without a sidecar because their call got no review: those that were made when calls were lost. Pure.
import type { deploymentMetrics, findUninjected } from "@outrigger/cluster";

type Uninjected = Awaited<ReturnType<typeof findUninjected>>["uninjected"][number];
type LostCalls = Awaited<ReturnType<ReturnType<typeof deploymentMetrics>["lostCalls"]>>[number];

export interface MissedPods {
  /** Pods that were made when calls were lost. */
  readonly pods: number;
  /** Calls that were lost then, of all clusters of the deployment. */
  readonly calls: number;
  /** The first and the last such time: ISO 8601, in UTC. */
  readonly since: string;
  readonly until: string;
}

/** An API server makes the call before it gives a pod its time, and may wait half a minute for it. */
const SLACK = 60_000;

/** When the oldest pod was made that a webhook let pass, in milliseconds since 1970; undefined where there is none. */
export function oldestMissed(uninjected: readonly Uninjected[]): number | undefined {
  const times = uninjected.flatMap((pod) => timeOf(pod) ?? []);
  return times.length === 0 ? undefined : Math.min(...times) - SLACK;
}

/** The pods that were made when calls were lost, or undefined where there is none. */
export function missedPods(uninjected: readonly Uninjected[], lost: readonly LostCalls[]): MissedPods | undefined {
  const near = (time: number, { since, until }: LostCalls) => time >= since - SLACK && time < until + SLACK;
  const times = uninjected.flatMap((pod) => timeOf(pod) ?? []).filter((time) => lost.some((one) => near(time, one)));
  const during = lost.filter((one) => times.some((time) => near(time, one)));
  const [first, last] = [during[0], during.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return {
    pods: times.length,
    calls: during.reduce((sum, { calls }) => sum + calls, 0),
    since: new Date(first.since).toISOString(),
    until: new Date(last.until).toISOString(),
  };
}

function timeOf({ isMissed, created }: Uninjected): number | undefined {
  return isMissed === true && created !== undefined ? Date.parse(created) : undefined;
}
