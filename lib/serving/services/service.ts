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
  /** The timeout in milliseconds. */
  readonly timeout: number;
}

export interface Service {
  /** Injects a pod. It may throw: a release that cannot be served is an outcome like any other. */
  readonly inject: (request: InjectRequest) => ReturnType<ReturnType<typeof rememberInjections>>;
  /** The release that `inject` runs, for audit annotations and the log. Empty if there is no release. */
  readonly release: string;
  /** Returns another release for some workloads, if a share of them is served one, and undefined for the others. */
  readonly forPod?: (
    request: Pick<InjectRequest, "pod" | "namespace">,
  ) => Pick<Service, "inject" | "release"> | undefined;
  /** The calling cluster. It has no name if only the URL identifies it. */
  readonly cluster?: Partial<KnownCluster>;
  /** Warnings for the user who creates the pod. */
  readonly warnings?: readonly string[];
  readonly tokenSlot?: 1 | 2;
  readonly served?: "current" | "stale" | "bundled";
  readonly storeError?: ErrorCode;
}

/**
 * Finds the service for a call. It is undefined if the token is missing, malformed or unknown: callers cannot
 * distinguish these. Never throws.
 */
export type FindService = (call: Call) => Service | undefined | Promise<Service | undefined>;

interface FixedServiceOptions {
  readonly inject: Service["inject"];
  readonly release: string;
  /** The callers that are allowed. If they are left out, no token is needed, and no path with one is known. */
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
