// What is known of a request once it is answered: the log and the metrics are made of it.

import type { ErrorCode } from "@outrigger/base";
import type { InjectResult } from "@outrigger/injector";

/** The kind of answer to a request. `refused` is the caller's fault (4xx), `failed` the operator's or a bug (5xx). */
export type Decision = "injected" | "skipped" | "denied" | "refused" | "failed";

/** An answered request. Unknown texts are empty. */
export interface AdmissionRecord {
  readonly uid: string;
  /** The gateway's ID of the call. */
  readonly requestId?: string;
  /** The ID of the X-Ray trace that the call is part of. */
  readonly traceId?: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly decision: Decision;
  readonly status: number;
  /**
   * The reason why a pod was not injected, or the code of the error. The list is closed, because metrics use it as a
   * dimension.
   */
  readonly reason?: Extract<InjectResult, { readonly injected: false }>["reason"] | ErrorCode | "bug";
  readonly release: string;
  readonly templates?: readonly string[];
  readonly milliseconds: number;
  /** Whether the answer was ready only after the caller's timeout. */
  readonly late?: boolean;
  /** Whether this is the first request that this process answered. */
  readonly cold?: boolean;
  /**
   * The slot of the token that was used, of the cluster's two live tokens. It is present only for a registered cluster.
   */
  readonly tokenSlot?: 1 | 2;
  /** The served release: the one in the store, an earlier one from the store, or the bundled one. */
  readonly served?: "current" | "stale" | "bundled";
  /** The reason why the store did not answer, or why its answer could not be used. */
  readonly storeError?: ErrorCode;
  readonly error?: unknown;
  /** The release of a share that could not answer, and why: the channel's own has answered in its place. */
  readonly regressed?: { readonly release: string; readonly error: unknown };
}
