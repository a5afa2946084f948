// What answers an authorised call: an injector and the settings of the caller. Does not know whether it serves one
// release to all callers or the stored release of the caller's cluster.
import type { ErrorCode } from "@outrigger/base";
import type { InjectRequest, rememberInjections } from "@outrigger/injector";
import { type Caller, findCaller } from "./token.ts";

/** A calling cluster, identified by its token. */
export interface KnownCluster extends NonNullable<InjectRequest["cluster"]> {
  readonly name: string;
}

export interface Call {
  readonly token: string | undefined;
  readonly revision: string;
  /** Milliseconds. */
  readonly timeout: number;
}

export interface Service {
  /** May throw: a release that cannot be served is an outcome like any other. */
  readonly inject: (request: InjectRequest) => ReturnType<ReturnType<typeof rememberInjections>>;
  /** The release that `inject` runs, for audit annotations and the log. Empty if there is no release. */
  readonly release: string;
  /** Another release for some workloads, where a share of them is served one; undefined for the others. */
  readonly forPod?: (
    request: Pick<InjectRequest, "pod" | "namespace">,
  ) => Pick<Service, "inject" | "release"> | undefined;
  /** Without a name if only the URL identifies the cluster. */
  readonly cluster?: Partial<KnownCluster>;
  /** Shown to the user who creates the pod. */
  readonly warnings?: readonly string[];
  readonly tokenSlot?: 1 | 2;
  readonly served?: "current" | "stale" | "bundled";
  readonly storeError?: ErrorCode;
}

/** Undefined if the token is missing, malformed or unknown: callers cannot distinguish these. Never throws. */
export type FindService = (call: Call) => Service | undefined | Promise<Service | undefined>;

interface FixedServiceOptions {
  readonly inject: Service["inject"];
  readonly release: string;
  /** Who may call. Left out, no token is needed, and no path with one is known. */
  readonly callers?: readonly Caller<KnownCluster>[];
}

/**
 * A service that knows one release.
 *
 * @example
 * ```ts
 * fixedService({ inject: () => { throw new Error(); }, release: "1f2e" })({ token: undefined, revision: "default", timeout: 10_000 }).release // => "1f2e"
 * fixedService({ inject: () => { throw new Error(); }, release: "1f2e" })({ token: "guessed", revision: "default", timeout: 10_000 }) // => undefined
 * ```
 */
export function fixedService({ inject, release, callers }: FixedServiceOptions): FindService {
  const open = { inject, release };
  if (callers === undefined) return ({ token }) => (token === undefined ? open : undefined);
  return ({ token }) => {
    const caller = findCaller(token, callers);
    return caller === undefined ? undefined : { ...open, cluster: caller.cluster };
  };
}

// Reads `?timeout=`: how long the API server waits. Knows no clock.
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
