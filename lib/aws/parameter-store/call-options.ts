// A file of its own: both ports use it.

/** What every call of Parameter Store and of the bucket takes. */
export interface CallOptions {
  /** Ends the call: it fails with `store-unavailable`. */
  readonly signal?: AbortSignal;
}
