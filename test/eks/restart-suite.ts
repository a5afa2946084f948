// What suites of restarts begin with: a laboratory for each test, and a release whose pods fall.
import { afterEach, beforeEach } from "vitest";
import { openRestartLab, type RestartLab } from "./restart-lab.ts";
import { appOf, isNew } from "./rollout-lab.ts";

/** A bake of one minute. */
export const MINUTE = { bake: 60 };

/** The laboratory of the test that runs: opened before it, closed after it. */
export function labOfEachTest(): RestartLab {
  const lab = {} as RestartLab;
  beforeEach(async () => {
    Object.assign(lab, await openRestartLab());
  });
  afterEach(() => lab.close());
  return lab;
}

/** Makes new pods crash this many milliseconds after they became ready: those of one workload, or all. */
export function failing(lab: RestartLab, fallsAfter: number, workload?: string): void {
  lab.state.fateOf = (pod) =>
    isNew(pod) && (workload === undefined || appOf(pod) === workload)
      ? { readyAfter: 3000, fallsAfter, crashes: { container: "side", exitCode: 1 } }
      : { readyAfter: 1000 };
}
