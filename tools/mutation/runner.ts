// The process that runs tests: starts it, sends it one job at a time, ends it when a mutant does not end.
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";

export interface Job {
  readonly file: string;
  /** The text of the mutated file; absent for a run without a mutant. */
  readonly code?: string;
  /** Run in this order, until one fails. */
  readonly tests: readonly string[];
  /** Milliseconds of processor time after which a mutant is taken to loop, by test file. */
  readonly limits: Times;
  /** Milliseconds of processor time after which no further test is begun. */
  readonly budget: number;
}

/** Milliseconds by test file. */
export type Times = Readonly<Record<string, number>>;

export interface Verdict {
  readonly outcome: "killed" | "survived" | "timeout" | "no tests";
  /** The test file that failed, or that did not end. */
  readonly by?: string;
  /** What the test said when it failed, in one line. */
  readonly reason?: string;
  /** Of processor time: a busy machine makes no difference. */
  readonly milliseconds: number;
  /** How long the test files took that passed, with their imports. */
  readonly times?: Times;
  /** Whether the budget ended before the tests did. */
  readonly isCut?: boolean;
}

export interface Runner {
  readonly run: (job: Job) => Promise<Verdict>;
  readonly close: () => void;
}

/** Tests that try the same many times try fewer than in `npm test`: a mutant that survives pays for all of them. */
const FEWER = { OUTRIGGER_PROPERTY_RUNS: "100", OUTRIGGER_LAGS: "300", OUTRIGGER_ACCEPTED_RUNS: "100" };

/** Milliseconds that a process has to notice by itself that a mutant does not end, in addition to every limit. */
const PATIENCE = 300_000;

export function createRunner(): Runner {
  let child: ChildProcess | undefined;
  const close = (): void => {
    child?.kill("SIGKILL");
    child = undefined;
  };
  return {
    close,
    run: async (job) => {
      child ??= await start();
      const verdict = await exchange(child, job);
      if (verdict.outcome === "timeout") close();
      return verdict;
    },
  };
}

function start(): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, "worker.ts"), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...FEWER, ...process.env },
  });
  return new Promise((resolve, reject) => {
    child.once("message", () => resolve(child));
    child.once("exit", (code) => reject(new Error(`The test process ended with code ${code} before it was ready`)));
  });
}

function exchange(child: ChildProcess, job: Job): Promise<Verdict> {
  return new Promise((resolve) => {
    const finish = (verdict: Verdict): void => {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve(verdict);
    };
    const most = job.budget + Object.values(job.limits).reduce((sum, limit) => sum + limit, PATIENCE);
    const timer = setTimeout(() => finish({ outcome: "timeout", by: "the process hangs", milliseconds: most }), most);
    child.once("message", (verdict: Verdict) => finish(verdict));
    // A mutant that ends the process, or exhausts its memory, has to be restarted: as after a timeout.
    child.once("exit", () => finish({ outcome: "timeout", by: "the process ended", milliseconds: 0 }));
    child.send(job);
  });
}
