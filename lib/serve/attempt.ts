// Owns one try at something that may hang: its limit, its signal, and that it ends.
import type { Clock } from "./clock.ts";

export interface Attempt {
  readonly startedAt: number;
  /** Callers stop waiting at this time: the process may have been frozen meanwhile. */
  readonly expiresAt: number;
  /** Done when the work is, or when the limit has passed. Never rejects: errors go to `failed`. */
  readonly done: Promise<void>;
  /** Ends it without reporting. */
  readonly abandon: () => void;
}

/**
 * Starts work that ends by itself or at the limit, whether it heeds its signal or not.
 *
 * @param failed is called once, unless the attempt is abandoned before
 * @param grace milliseconds that the work may go on after its limit, because what it brings late is still of use
 */
export function beginAttempt(
  work: (signal: AbortSignal) => Promise<void>,
  limit: number,
  clock: Clock,
  failed: (error: unknown) => void,
  grace = 0,
): Attempt {
  const startedAt = clock.now();
  const controller = new AbortController();
  let end = (_error?: unknown) => {};
  let isAbandoned = false;
  const done = new Promise<void>((resolve) => {
    let isOver = false;
    end = (error) => {
      if (isOver) return;
      isOver = true;
      cancel();
      if (error !== undefined && !isAbandoned) failed(error);
      resolve();
    };
  });
  let cancelGrace = () => {};
  const cancel = clock.after(limit, () => {
    end(new LimitPassed(limit));
    if (grace > 0) cancelGrace = clock.after(grace, () => controller.abort());
    else controller.abort();
  });
  void work(controller.signal)
    .then(
      () => end(),
      (error: unknown) => end(error ?? new Error("it failed for no reason")),
    )
    .finally(() => cancelGrace());
  const abandon = () => {
    isAbandoned = true;
    end();
    controller.abort();
  };
  return { startedAt, expiresAt: startedAt + limit, done, abandon };
}

/** What an attempt fails with when its time is up. */
export class LimitPassed extends Error {
  override readonly name = "LimitPassed";
  readonly limit: number;

  constructor(limit: number) {
    super(`there was no answer within ${Math.round(limit)} ms`);
    this.limit = limit;
  }
}
