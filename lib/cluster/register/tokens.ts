// Tokens: creating one, finding the one that a cluster uses, and what retiring one breaks. Outside the webhook's URL, only a digest is
// kept.
import { createHash } from "node:crypto";
import type { ClusterRecord } from "@outrigger/serving";
import { failurePolicyOf } from "@outrigger/webhook";
import { learn } from "../fact.ts";
import type { InstalledWebhook } from "../objects/installed-webhooks.ts";
import type { RegistrationPorts } from "./registration.ts";

/** A container looks a token up that it does not know once its snapshot is older than the TTL: 10 s, and 2 s of jitter. */
export const SETTLE_MILLISECONDS = 15_000;

/** 32 random bytes as text for a URL: 43 characters. */
export function newToken(randomBytes: (size: number) => Uint8Array): string {
  return Buffer.from(randomBytes(32)).toString("base64url");
}

/** Returns what a record stores of a token: 64 hexadecimal digits. */
export function digestOfToken(token: string): string {
  return createHash("sha256").update(token, "utf8").digest("hex");
}

/** A live token that a webhook of the cluster has; of two, the one that was registered last. */
export function tokenInUse(installed: readonly InstalledWebhook[], record?: ClusterRecord): string | undefined {
  const live = record?.tokens.map(({ sha256 }) => sha256) ?? [];
  const used = new Map(installed.flatMap(({ token }) => (token === undefined ? [] : [[digestOfToken(token), token]])));
  const last = live.findLast((digest) => used.has(digest));
  return last === undefined ? undefined : used.get(last);
}

export function hasToken({ tokens }: Pick<ClusterRecord, "tokens">, sha256: string): boolean {
  return tokens.some((token) => token.sha256 === sha256);
}

/** Whether calls with a token are answered, as the record says now. Where nobody can say, they may be. */
export async function isLive(sha256: string, cluster: string, { readRecord }: Pick<RegistrationPorts, "readRecord">) {
  const read = await learn(() => readRecord(cluster));
  return !read.known || (read.value !== undefined && hasToken(read.value, sha256));
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

export interface RetirementQuestion {
  readonly cluster: string;
  readonly record: ClusterRecord;
  readonly sha256: string;
  /** Calls of a slot since a time, as CloudWatch counts them. */
  readonly countCalls: (slot: 1 | 2, since: number) => Promise<number>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const HOUR = 3_600_000;

/**
 * Returns what retiring a live token breaks: `132 calls came with token 1 (3fa4c1d2…) of shop within the last hour.
 * Within 15 s …`. `isUsed` is false only if it is known that no call has come with the token for an hour: calls that
 * cannot be counted may be there.
 */
export async function retirementEffect(question: RetirementQuestion) {
  const { cluster, record, sha256, countCalls, now } = question;
  const slot = record.tokens[0]?.sha256 === sha256 ? 1 : 2;
  const token = `token ${slot} (${sha256.slice(0, 8)}…) of ${cluster}`;
  const effect = `Within 15 s of its retirement, calls with it are rejected: ${fateOfPods(record)}`;
  const counted = await learn(() => countCalls(slot, now - HOUR));
  if (!counted.known) {
    const unknown = `Whether calls come with ${token} is not known (${counted.why})`;
    return { isUsed: true, sentence: `${unknown}. ${effect}` };
  }
  const calls = counted.value;
  if (calls === 0) return { isUsed: false, sentence: `No call came with ${token} within the last hour` };
  const came = calls === 1 ? "One call" : `${calls} calls`;
  return { isUsed: true, sentence: `${came} came with ${token} within the last hour. ${effect}` };
}

/** Says what retiring breaks by the policy with which each revision is registered, where the record has it. */
function fateOfPods({ settings = {} }: ClusterRecord): string {
  const revisions = Object.entries(settings);
  if (revisions.length === 0) return "failurePolicy Fail rejects their pods, and Ignore starts them without a sidecar";
  const fates = revisions.map(([revision, each]) => {
    const fate = failurePolicyOf(each) === "Fail" ? "are rejected (Fail)" : "start without a sidecar (Ignore)";
    return `pods of revision ${revision} ${fate}`;
  });
  return fates.join(", ");
}
