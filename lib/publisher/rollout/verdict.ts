// What a look at a rollout, or at a ring, comes to.

export type RolloutVerdict =
  | { readonly kind: "abort"; readonly why: string }
  | { readonly kind: "advance"; readonly percent: number; readonly why: string }
  | Waiting;

/** `isBaking`: it continues by itself. `stuck`: seconds for which it cannot, or is not watched, and only a person can change that. */
export interface Waiting {
  readonly kind: "wait";
  readonly why: string;
  readonly isBaking?: true;
  readonly stuck?: number;
}

export function wait(why: string): Waiting {
  return { kind: "wait", why };
}

/** Times are milliseconds since 1970. */
export function stuckSince(why: string, from: number, now: number): Waiting {
  return { ...wait(why), stuck: Math.max(0, Math.ceil((now - from) / 1000)) };
}
