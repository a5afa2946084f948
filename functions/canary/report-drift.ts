// One look of the canary at the deployment itself: what differs from what was deployed, as a line of log with a metric. Knows no
// SDK and no environment.
import type { findDrift } from "@outrigger/cluster";
import { metricLine } from "@outrigger/serving";

type Drift = Awaited<ReturnType<typeof findDrift>>;

export interface DriftOptions {
  readonly stage: string;
  /** Looks; undefined while the deployment is being changed. */
  readonly look: () => Promise<Drift>;
  readonly write: (line: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Looks once, and writes one line. A deployment that is being changed has no metric: the alarm stays as it is. */
export async function reportDrift({ stage, look, write, now }: DriftOptions): Promise<Drift> {
  const drift = await look();
  const common = { event: "drift", stage } as const;
  if (drift === undefined) {
    const fields = { message: "the deployment is being changed: not looked at" };
    write(metricLine({ ...common, level: "info", timestamp: now(), fields }));
    return undefined;
  }
  const { found, unseen } = drift;
  const level = found.length > 0 ? "error" : unseen.length > 0 ? "warn" : "info";
  const metrics = { DeploymentDrift: found.length };
  write(metricLine({ ...common, level, timestamp: now(), metrics, fields: { found, unseen } }));
  return drift;
}
