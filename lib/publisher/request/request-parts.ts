// What a request to the publisher is made of, where it is handed on by itself: parse-request.ts has the whole.

/** Who asks and why: kept with the result. */
export interface Cause {
  /** `arn:aws:iam::…:user/…`, or the name that a laptop or a pipeline gives itself. */
  readonly by: string;
  /** Free text; empty where nothing was said. */
  readonly why: string;
}

/** A lease on a cluster's record: while it lasts, changes that do not carry its id are rejected. */
export interface LeaseRequest {
  /** 16 to 64 hexadecimal digits, made by the caller. */
  readonly id: string;
  /** From now on; 0 releases it. */
  readonly seconds: number;
}

/** The longest lease, in seconds: what a killed command blocks others for. */
export const LONGEST_LEASE = 900;

/** A channel, and a change of it: two moves to the same release are two moves. */
export interface Until {
  readonly channel: string;
  readonly change: number;
}
