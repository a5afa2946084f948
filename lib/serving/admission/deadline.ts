// The time that an API server waits for an answer, from `?timeout=`, and what fits into it. Knows no clock.

/** The default timeout of API servers, also assumed for a timeout that cannot be read. */
export const DEFAULT_TIMEOUT = 10_000;

const UNITS = { ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

const DURATION =
  /^(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))*$/;

const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy;

/**
 * Milliseconds of a timeout as the API server appends it: a Go duration such as `10s`, `500ms` or `1m30s`. A zero timeout
 * and any other text give {@link DEFAULT_TIMEOUT}.
 *
 * @example
 * ```ts
 * parseTimeout("1m30s") // => 90000
 * parseTimeout("soon") // => 10000
 * ```
 */
export function parseTimeout(timeout: string | undefined): number {
  if (timeout === undefined || timeout === "10s" || timeout.length > 64 || !DURATION.test(timeout))
    return DEFAULT_TIMEOUT;
  let milliseconds = 0;
  for (const [, number, unit] of timeout.matchAll(PART))
    milliseconds += Number(number) * UNITS[unit as keyof typeof UNITS];
  return milliseconds > 0 && Number.isFinite(milliseconds) ? milliseconds : DEFAULT_TIMEOUT;
}

/** The number of times that an API server repeats a call whose answer has `Retry-After`, after a second each time. */
const RETRIES = 10;

const PAUSE = 1000;

/**
 * Whether every repetition fits into the deadline. One that runs into it ends in a timeout, and the author of the pod is shown the
 * webhook's URL, with its token, in place of the reason.
 */
export function canRetry(milliseconds: number, timeout: number): boolean {
  return (RETRIES + 1) * milliseconds + RETRIES * PAUSE < timeout;
}
