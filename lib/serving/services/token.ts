// Compares a caller's token with the known ones. Only digests are kept, never the tokens themselves.
import { createHash, timingSafeEqual } from "node:crypto";

/** An authorised caller: the SHA-256 of one live token, and the cluster that it identifies. */
export interface Caller<Cluster> {
  readonly tokenDigest: Uint8Array;
  readonly cluster: Cluster;
}

/**
 * The caller that a token belongs to: the only function that compares tokens. A missing token takes as long as a wrong one,
 * and every digest is compared in constant time, so that neither the answer nor its timing reveals why a token was rejected.
 *
 * @param isEqual compares two digests in constant time; tests count its calls
 */
export function findCaller<Cluster>(
  token: string | undefined,
  callers: readonly Caller<Cluster>[],
  isEqual: (one: Uint8Array, other: Uint8Array) => boolean = timingSafeEqual,
): Caller<Cluster> | undefined {
  const digest = tokenDigest(token ?? "");
  let found: Caller<Cluster> | undefined;
  for (const caller of callers) if (isEqual(caller.tokenDigest, digest)) found = caller;
  return token === undefined ? undefined : found;
}

/** Whether a secret was given, compared in constant time. */
export function isSameSecret(given: string | undefined, secret: string): boolean {
  return findCaller(given, [{ tokenDigest: tokenDigest(secret), cluster: undefined }]) !== undefined;
}

/** SHA-256 of a token's UTF-8 bytes. */
export function tokenDigest(token: string): Uint8Array {
  return createHash("sha256").update(token, "utf8").digest();
}
