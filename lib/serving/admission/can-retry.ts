// Whether an API server may repeat a call. Knows no clock.

/** How often an API server repeats a call whose answer has `Retry-After`, after a second each time. */
const RETRIES = 10;
const PAUSE = 1000;

/**
 * Whether every repetition fits into the deadline. One that runs into it ends in a timeout, and the author of the pod is shown the
 * webhook's URL, with its token, in place of the reason.
 */
export function canRetry(milliseconds: number, timeout: number): boolean {
  return (RETRIES + 1) * milliseconds + RETRIES * PAUSE < timeout;
}
