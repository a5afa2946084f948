// Compares a caller's token with the known ones. Only digests are kept, never the tokens themselves.
import { createHash, timingSafeEqual } from "node:crypto";

/** An authorised caller: the SHA-256 of one live token, and the cluster that it identifies. */
export interface Caller<Cluster> {
  readonly tokenDigest: Uint8Array;
  readonly cluster: Cluster;
}

type IsEqual = (one: Uint8Array, other: Uint8Array) => boolean;

/** The caller that a token belongs to. */
export function findCaller<Cluster>(
  token: string | undefined,
  callers: readonly Caller<Cluster>[],
  isEqual?: IsEqual,
): Caller<Cluster> | undefined {
  return callers[indexOfToken(token, Buffer.concat(callers.map((caller) => caller.tokenDigest)), isEqual)];
}

/** The bytes of a token's digest. */
export const DIGEST_BYTES = 32;

/**
 * The place of a token among digests, -1 for one that is not there: the only function that compares tokens. A missing token takes as long
 * as a wrong one, and every digest is compared in constant time, so that neither the answer nor its timing reveals why a token was rejected.
 *
 * @param digests one after the other
 * @param isEqual compares two digests in constant time; tests count its calls
 */
export function indexOfToken(
  token: string | undefined,
  digests: Uint8Array,
  isEqual: IsEqual = timingSafeEqual,
): number {
  const digest = tokenDigest(token ?? "");
  let found = -1;
  for (let at = 0; at < digests.length; at += DIGEST_BYTES) {
    if (isEqual(digests.subarray(at, at + DIGEST_BYTES), digest)) found = at / DIGEST_BYTES;
  }
  return token === undefined ? -1 : found;
}

/** Whether a secret was given, compared in constant time. */
export function isSameSecret(given: string | undefined, secret: string): boolean {
  return findCaller(given, [{ tokenDigest: tokenDigest(secret), cluster: undefined }]) !== undefined;
}

/** SHA-256 of a token's UTF-8 bytes. */
export function tokenDigest(token: string): Uint8Array {
  return createHash("sha256").update(token, "utf8").digest();
}
