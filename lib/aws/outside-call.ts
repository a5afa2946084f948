// The one form of calls that leave the process. The request is data; the options are the caller's.

/** The options with which a caller can end a call. */
export interface CallOptions {
  /** Ends the call, which then fails as it does where the service is unavailable. */
  readonly signal?: AbortSignal;
}

/** A call to the outside: one request, and what ends it. */
export type OutsideCall<Request, Answer> = (request: Request, options?: CallOptions) => Promise<Answer>;
