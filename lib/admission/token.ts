// Owns the comparison of a caller's token with those that are known. Tokens themselves are never kept: only digests.
import { createHash, timingSafeEqual } from "node:crypto";

/** Someone who may call: the SHA-256 of one live token, and the cluster it stands for. */
export interface Caller<Cluster> {
  readonly tokenDigest: Uint8Array;
  readonly cluster: Cluster;
}

/**
 * The caller whom a token belongs to. A missing token costs what a wrong one costs, and every digest is compared in
 * constant time, so that neither the answer nor its time tells why a token was refused.
 */
export function findCaller<Cluster>(
  token: string | undefined,
  callers: readonly Caller<Cluster>[],
): Caller<Cluster> | undefined {
  const digest = tokenDigest(token ?? "");
  let found: Caller<Cluster> | undefined;
  for (const caller of callers) if (timingSafeEqual(caller.tokenDigest, digest)) found = caller;
  return token === undefined ? undefined : found;
}

/** SHA-256 of a token's UTF-8 bytes. */
export function tokenDigest(token: string): Uint8Array {
  return createHash("sha256").update(token, "utf8").digest();
}
