// Creating tokens and finding the one that a cluster uses. Outside the webhook's URL, only a digest is kept.
import { createHash } from "node:crypto";
import type { ClusterRecord } from "@outrigger/serving";
import type { InstalledWebhook } from "../objects/installed-webhooks.ts";

/** 32 random bytes as text for a URL: 43 characters. */
export function newToken(randomBytes: (size: number) => Uint8Array): string {
  return Buffer.from(randomBytes(32)).toString("base64url");
}

/** What a record stores of a token: 64 hexadecimal digits. */
export function digestOfToken(token: string): string {
  return createHash("sha256").update(token, "utf8").digest("hex");
}

/** A live token that a webhook of the cluster has; of two, the one that was registered last. */
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
