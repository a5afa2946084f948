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

/** Whether every call is killed, before it and after it. */
const ALL = process.env["OUTRIGGER_KILLED_STRIDE"] === "1";

/**
 * Where a command is killed, of those calls that it makes when it is left alone: after each that writes, and before some of the others.
 * What is killed before a call leaves what is killed after the one before it.
 *
 * @param calls `PATCH /apis/…`, in order
 * @param stride the distance between two calls that only read and are killed
 */
export function killsOf(
  calls: readonly string[],
  stride = 7,
): readonly { readonly call: number; readonly isDone: boolean }[] {
  return calls.flatMap((said, index) => {
    const call = index + 1;
    if (ALL) return [false, true].map((isDone) => ({ call, isDone }));
    if (!said.startsWith("GET ")) return [{ call, isDone: true }];
    return call % stride === 1 ? [{ call, isDone: false }] : [];
  });
}
