// One release for all callers: the local server's, and that of a function without a store.

import type { FindService, KnownCluster, Service } from "./service.ts";
import { type Caller, findCaller } from "./token.ts";

export interface FixedServiceOptions {
  readonly inject: Service["inject"];
  /** The release's name. */
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
