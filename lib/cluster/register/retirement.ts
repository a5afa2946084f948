// What retiring a token breaks, said before it is done: who still calls with it, and what becomes of their pods.
import { OutriggerError } from "@outrigger/base";
import type { ClusterRecord } from "@outrigger/serving";
import { failurePolicyOf } from "@outrigger/webhook";

export interface RetirementQuestion {
  readonly cluster: string;
  readonly record: ClusterRecord;
  readonly sha256: string;
  /** Calls of a slot since a time, as CloudWatch counts them. */
  readonly countCalls: (slot: 1 | 2, since: number) => Promise<number>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface RetirementEffect {
  /** False only where it is known that no call has come with the token for an hour. */
  readonly isUsed: boolean;
  /** `132 calls came with token 1 (3fa4c1d2…) of shop within the last hour. Within 15 s …` */
  readonly sentence: string;
}

const HOUR = 3_600_000;

/** What retiring a live token breaks. Calls that cannot be counted may be there. */
export async function retirementEffect(question: RetirementQuestion): Promise<RetirementEffect> {
  const { cluster, record, sha256, countCalls, now } = question;
  const slot = record.tokens[0]?.sha256 === sha256 ? 1 : 2;
  const token = `token ${slot} (${sha256.slice(0, 8)}…) of ${cluster}`;
  const effect = `Within 15 s of its retirement, calls with it are rejected: ${fateOfPods(record)}`;
  try {
    const calls = await countCalls(slot, now - HOUR);
    if (calls === 0) return { isUsed: false, sentence: `No call came with ${token} within the last hour` };
    const came = calls === 1 ? "One call" : `${calls} calls`;
    return { isUsed: true, sentence: `${came} came with ${token} within the last hour. ${effect}` };
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    return {
      isUsed: true,
      sentence: `Whether calls come with ${token} is not known (${error.message}). ${effect}`,
    };
  }
}

/** By the policy with which each revision is registered, where the record has it. */
function fateOfPods({ settings = {} }: ClusterRecord): string {
  const revisions = Object.entries(settings);
  if (revisions.length === 0) return "failurePolicy Fail rejects their pods, and Ignore starts them without a sidecar";
  const fates = revisions.map(([revision, each]) => {
    const fate = failurePolicyOf(each) === "Fail" ? "are rejected (Fail)" : "start without a sidecar (Ignore)";
    return `pods of revision ${revision} ${fate}`;
  });
  return fates.join(", ");
}
