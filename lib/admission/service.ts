// What answers a call that may be made: an injector with what is known of the caller. Where it comes from (one release
// for everybody, or what the store holds for the caller's cluster) is not known here.
import type { ErrorCode } from "../errors.ts";
import type { ClusterSettings, InjectRequest, InjectResult } from "../inject/injector.ts";

/** What is known of a calling cluster by its token. */
export interface KnownCluster extends ClusterSettings {
  readonly name: string;
}

/** What a URL says of who calls, and how long the caller waits. */
export interface Call {
  readonly token: string | undefined;
  readonly revision: string;
  /** Milliseconds. */
  readonly timeout: number;
}

export interface Service {
  /** May throw: what cannot be served is an outcome like any other. */
  readonly inject: (request: InjectRequest) => InjectResult;
  /** Names the release that `inject` runs, for audit annotations and the log. Empty where there is none. */
  readonly release: string;
  /** The name is left out where only the URL says which cluster it is. */
  readonly cluster?: Partial<KnownCluster>;
  /** Told to whoever creates the pod. */
  readonly warnings?: readonly string[];
  readonly tokenSlot?: 1 | 2;
  readonly served?: "current" | "stale" | "bundled";
  readonly storeError?: ErrorCode;
}

/** Undefined where the token is missing, malformed or unknown: those are not told apart. Never throws. */
export type FindService = (call: Call) => Service | undefined | Promise<Service | undefined>;
