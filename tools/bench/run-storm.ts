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
}

/** What S3 answers a second below one prefix, by its documentation. */
const READS = 5500;
/** Milliseconds of a call, and of the start of a process. */
const LATENCY = 20;
const INIT = 300;

export async function runStorm(
  options: Pick<StormOptions, "containers" | "rate" | "spread" | "timeout" | "bundled"> & { readonly reads?: number },
): Promise<Storm> {
  const token = tokenOf("east-");
  const { bundled } = options;
  const clock = virtualClock();
  const published = fakeParameterStore({ now: clock.now });
  await writeSnapshot(published, snapshotOf({ releases: { s1: bundled }, clusters: { east: clusterOf([token]) } }));
  const stored = { table: published.table(), objects: published.objects.objectTable() };
  const settings = { reads: READS, ...options, ...stored, latency: LATENCY, init: INIT, prefix: PREFIX, token, clock };
  const report = await clock.settle(simulateStorm(settings));
  return {
    report,
    isLate: report.longest > options.timeout,
  };
}
