// Time as reading takes it: what time it is, and being called later. Passed in, so that a test or a simulation can
// be its own clock.

export interface Clock {
  /**
   * Milliseconds since 1970. Time of day and not a clock that only goes forward: Lambda stops a process between two
   * requests, and the age of what was read before must count the pause. It may jump back; nothing may depend on that.
   */
  readonly now: () => number;
  /** Calls back once; what it returns takes that back. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Waits until the promise is settled, or the time is up. It never rejects. */
export async function within(promise: Promise<unknown>, milliseconds: number, clock: Clock): Promise<void> {
  if (milliseconds <= 0) return;
  let cancel = () => {};
  const timeUp = new Promise<void>((resolve) => {
    cancel = clock.after(milliseconds, resolve);
  });
  await Promise.race([promise.catch(() => {}), timeUp]);
  cancel();
}

export interface Attempt {
  readonly startedAt: number;
  /** The time at which callers stop waiting: the process may have been frozen meanwhile. */
  readonly expiresAt: number;
  /**
   * A promise that resolves when the work is done, or when the limit has passed. It never rejects: errors go to
   * `failed`.
   */
  readonly done: Promise<void>;
  /** Ends it without reporting. The work continues for its grace: what it brings late is still of use. */
  readonly leave: () => void;
}

/**
 * Starts work that ends by itself or at the limit, whether it heeds its signal or not.
 *
 * @param failed is called once, unless the attempt is left before
 * @param grace milliseconds that the work may continue after its limit, because what it brings late is still of use
 */
export function beginAttempt(
  work: (signal: AbortSignal) => Promise<void>,
  limit: number,
  clock: Clock,
  failed: (error: unknown) => void,
  grace: number,
): Attempt {
  const startedAt = clock.now();
  const controller = new AbortController();
  let end = (_error?: unknown) => {};
  let isOver = false;
  const done = new Promise<void>((resolve) => {
    end = (error) => {
      if (isOver) return;
      isOver = true;
      cancel();
      if (error !== undefined) failed(error);
      resolve();
    };
  });
  let cancelGrace = () => {};
  const endLate = (error?: unknown) => {
    if (isOver) return;
    end(error);
    cancelGrace = clock.after(grace, () => controller.abort());
  };
  const cancel = clock.after(limit, () => endLate(new LimitPassed(limit)));
  void work(controller.signal)
    .then(
      () => end(),
      (error: unknown) => end(error ?? new Error("it failed for no reason")),
    )
    .finally(() => cancelGrace());
  return { startedAt, expiresAt: startedAt + limit, done, leave: () => endLate() };
}

export class LimitPassed extends Error {
  override readonly name = "LimitPassed";

  constructor(limit: number) {
    super(`there was no answer within ${Math.round(limit)} ms`);
  }
}
