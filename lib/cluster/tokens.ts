// Owns the making of tokens and the question which one a cluster uses. Only a digest ever leaves the webhook's URL.
import { createHash } from "node:crypto";
import type { ClusterRecord } from "../serve/cluster-record.ts";
import type { InstalledWebhook } from "./installed-webhooks.ts";

/** 32 random bytes as text for a URL: 43 characters. */
export function newToken(randomBytes: (size: number) => Uint8Array): string {
  return Buffer.from(randomBytes(32)).toString("base64url");
}

/** What a record keeps of a token: 64 hexadecimal digits. */
export function digestOfToken(token: string): string {
  return createHash("sha256").update(token, "utf8").digest("hex");
}

/** A token that stands in a webhook of the cluster and is live; where there are two, the one that is registered last. */
export function tokenInUse(
  installed: readonly InstalledWebhook[],
  record: ClusterRecord | undefined,
): string | undefined {
  const live = record?.tokens.map(({ sha256 }) => sha256) ?? [];
  const used = installed.flatMap(({ token }) => (token === undefined ? [] : [token]));
  const byAge = used
    .map((token) => ({ token, place: live.indexOf(digestOfToken(token)) }))
    .filter(({ place }) => place !== -1)
    .sort((a, b) => b.place - a.place);
  return byAge[0]?.token;
}
