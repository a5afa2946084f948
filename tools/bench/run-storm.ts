// One storm with what it takes: a published snapshot, a token that it knows, a clock that need not be waited for.
import { fakeParameterStore } from "@outrigger/fake-aws";
import { clusterOf, PREFIX, snapshotOf, writeSnapshot } from "../../test/support/stored-snapshot.ts";
import { tokenOf } from "../../test/support/tokens.ts";
import { virtualClock } from "../../test/support/virtual-clock.ts";
import { type StormOptions, type StormReport, simulateStorm } from "./simulate-storm.ts";

export interface Storm {
  readonly report: StormReport;
  /** Whether a caller waited for longer than the webhook's timeout. */
  readonly isLate: boolean;
  /** Whether a caller was served the bundled release before the waiting budget was spent: 70 % of the timeout. */
  readonly isEarly: boolean;
}

/** Milliseconds of a call, and of the start of a process. */
const LATENCY = 20;
const INIT = 300;

export async function runStorm(
  options: Pick<StormOptions, "containers" | "rate" | "spread" | "timeout" | "bundled">,
): Promise<Storm> {
  const token = tokenOf("east-");
  const { bundled } = options;
  const clock = virtualClock();
  const published = fakeParameterStore();
  await writeSnapshot(published, snapshotOf({ releases: { s1: bundled }, clusters: { east: clusterOf([token]) } }));
  const table = published.table();
  const settings = { ...options, latency: LATENCY, init: INIT, table, prefix: PREFIX, token, clock };
  const report = await clock.settle(simulateStorm(settings));
  return {
    report,
    isLate: report.longest > options.timeout,
    isEarly: (report.earliestBundled ?? Number.POSITIVE_INFINITY) < options.timeout * 0.7,
  };
}
