// The canary's hourly look at what was deployed: one line of log with a metric.
import type { findDrift } from "@outrigger/cluster";
import { metricLine } from "@outrigger/serving";
import type { CanaryOptions } from "./canary.ts";

export interface DriftOptions extends Pick<CanaryOptions, "stage" | "write" | "now"> {
  /** Undefined while the deployment is being changed. */
  readonly look: () => ReturnType<typeof findDrift>;
}

/** Looks once, and writes one line. A deployment that is being changed has no metric: the alarm stays as it is. */
export async function reportDrift({ stage, look, write, now }: DriftOptions) {
  const drift = await look();
  const common = { event: "drift", stage, timestamp: now() } as const;
  if (drift === undefined) {
    const fields = { message: "the deployment is being changed: not looked at" };
    write(metricLine({ ...common, level: "info", fields }));
    return undefined;
  }
  const { found, unseen } = drift;
  const level = found.length > 0 ? "error" : unseen.length > 0 ? "warn" : "info";
  write(metricLine({ ...common, level, metrics: { DeploymentDrift: found.length }, fields: { found, unseen } }));
  return drift;
}
