// Time as reading takes it: what time it is, and being called later. Passed in, so that a test or a simulation can
// be its own clock.

/** What time it is, and being called later. */
export interface Clock {
  /**
   * Milliseconds since 1970. Time of day and not a clock that only goes forward: Lambda stops a process between two
   * requests, and the age of what was read before must count the pause. It may jump back; nothing may depend on that.
   */
  readonly now: () => number;
  /** Calls back once; what it returns takes that back. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Done when the promise is, however that is, or when the time is up. */
export async function within(promise: Promise<unknown>, milliseconds: number, clock: Clock): Promise<void> {
  if (milliseconds <= 0) return;
  let cancel = () => {};
  const timeUp = new Promise<void>((resolve) => {
    cancel = clock.after(milliseconds, resolve);
  });
  const done = promise.then(
    () => {},
    () => {},
  );
  await Promise.race([done, timeUp]);
  cancel();
}
