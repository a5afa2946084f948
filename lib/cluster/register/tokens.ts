// Creating tokens and finding the one that a cluster uses. Outside the webhook's URL, only a digest is kept.
import { createHash } from "node:crypto";
import { OutriggerError } from "@outrigger/base";
import type { ClusterRecord } from "@outrigger/serving";
import type { InstalledWebhook } from "../objects/installed-webhooks.ts";
import type { RegistrationPorts } from "./registration.ts";

/** A container looks a token up that it does not know once its snapshot is older than the TTL: 10 s, and 2 s of jitter. */
export const SETTLE_MILLISECONDS = 15_000;

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

export function hasToken({ tokens }: Pick<ClusterRecord, "tokens">, sha256: string): boolean {
  return tokens.some((token) => token.sha256 === sha256);
}

/** Whether calls with a token are answered, as the record says now. Where nobody can say, they may be. */
export async function isLive(
  sha256: string,
  cluster: string,
  { readRecord }: Pick<RegistrationPorts, "readRecord">,
): Promise<boolean> {
  try {
    const record = await readRecord(cluster);
    return record !== undefined && hasToken(record, sha256);
  } catch (error) {
    if (error instanceof OutriggerError) return true;
    throw error;
  }
}

/** The registration that a cluster's webhooks belong to: the one that has the token of one of them. */
export function recordOf(
  installed: readonly InstalledWebhook[],
  records: Readonly<Record<string, ClusterRecord>>,
): { readonly name: string; readonly record: ClusterRecord } | undefined {
  const digests = installed.flatMap(({ token }) => (token === undefined ? [] : [digestOfToken(token)]));
  const found = Object.entries(records).find(([, { tokens }]) => tokens.some(({ sha256 }) => digests.includes(sha256)));
  return found === undefined ? undefined : { name: found[0], record: found[1] };
}
