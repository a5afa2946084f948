// Time in which this process could have taken an answer. A process that the machine does not run, or that has something else to do for
// seconds, would otherwise blame whom it asks: its timers are over before it has read what came meanwhile.

/**
 * Counts time in steps, of which a standstill is one, however long it was.
 *
 * @param step milliseconds
 * @param onStep gets the milliseconds that have passed, after each step
 */
export function countOwnTime(step: number, onStep: (passed: number) => void = () => {}) {
  let passed = 0;
  const timer = setInterval(() => {
    passed += step;
    onStep(passed);
  }, step);
  timer.unref();
  return {
    /** The milliseconds that have passed at most. */
    passed: () => passed + step,
    stop: () => clearInterval(timer),
  };
}

/** Steps of a deadline: it is late by one of them at most. */
const STEPS = 20;

/** Runs something with a signal that aborts once so many milliseconds of this process's own time have passed. */
export async function withinOwnTime<Result>(
  milliseconds: number,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const time = countOwnTime(milliseconds / STEPS, (passed) => {
    // Sums of fractions come out a little below.
    if (passed >= milliseconds - 0.5) controller.abort();
  });
  try {
    return await run(controller.signal);
  } finally {
    time.stop();
  }
}
