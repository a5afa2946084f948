// Undoing a registration that failed, as far as it is this command's own: what another command has done since stays.
import { OutriggerError } from "@outrigger/base";
import { type ClusterRecord, recordDigest } from "@outrigger/serving";
import { canReject, findObjects } from "../objects/own-objects.ts";
import type { HeldLease } from "./held-lease.ts";
import type { Journal } from "./journal.ts";
import { contentOf, type RegistrationPorts, released } from "./registration.ts";
import { isLive } from "./tokens.ts";

/**
 * Restores the cluster, then the record: while an object has the new token, the token has to be live.
 *
 * @returns why nothing was restored, where another command has the cluster
 */
export async function undoRegistration(
  given: RegistrationPorts,
  journal: Journal,
  record: ClusterRecord | undefined,
  next: ClusterRecord,
  held: HeldLease,
): Promise<OutriggerError | undefined> {
  const { ask, report } = given;
  const { cause, cluster, lease } = held.change;
  const lost = await held.whyLost(given);
  if (lost !== undefined) {
    await leaveToOthers(given, journal, next, cluster);
    return lost.code === "cluster-conflict" ? lost : undefined;
  }
  const problems = await journal.undo();
  for (const problem of problems) report(`Not restored: ${problem}`);
  if (problems.length > 0) {
    report(await riskIn(given));
    report(`The record of ${cluster} stays as it is: run outrigger check --section registration, then register again`);
    await releaseLease(given, next, held).catch(() => undefined);
    return undefined;
  }
  const change = { cause: { ...cause, why: "registration undone" }, cluster, lease: released(lease) };
  const expect = recordDigest(next);
  try {
    if (record === undefined) await ask({ action: "remove-cluster", ...change, expect });
    else await ask({ action: "put-cluster", ...change, record: contentOf(record), expect });
    report("Everything is as it was before");
  } catch (error) {
    report(
      error instanceof OutriggerError && error.code === "cluster-conflict"
        ? `The cluster is as it was before; the record of ${cluster} belongs to another command and is left as it is`
        : `The cluster is as it was before; the record of ${cluster} could not be restored: run outrigger register again`,
    );
  }
  return undefined;
}

/** Whether what is left in a cluster can reject pods: that is what matters to those who were interrupted. */
async function riskIn({ kube }: RegistrationPorts): Promise<string> {
  try {
    const objects = (await findObjects(kube, undefined)).map(({ object }) => object);
    return objects.some(canReject)
      ? "Pods may be rejected by what is left: if they are, outrigger off admits them"
      : "No pod is rejected by what is left: failures are ignored, and no safety net denies";
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    return `Whether pods are rejected is not known (${error.message}): if they are, outrigger off admits them`;
  }
}

/**
 * Ends the lease.
 *
 * @param record what becomes of it
 * @param before as this command has written it
 */
export async function releaseLease(
  { ask }: Pick<RegistrationPorts, "ask">,
  record: ClusterRecord,
  { change }: Pick<HeldLease, "change">,
  before: ClusterRecord = record,
): Promise<void> {
  const [lease, expect] = [released(change.lease), recordDigest(before)];
  await ask({ action: "put-cluster", ...change, record, lease, expect });
}

/** Another command has had the cluster since: what it found and changed is its own. Only a token that is dead must not stay. */
async function leaveToOthers(
  ports: RegistrationPorts,
  journal: Journal,
  { tokens }: ClusterRecord,
  cluster: string,
): Promise<void> {
  const live = await Promise.all(tokens.map(({ sha256 }) => isLive(sha256, cluster, ports)));
  const problems = live.includes(true) ? [] : await journal.removeMade();
  for (const problem of problems) ports.report(`Not restored: ${problem}`);
  ports.report(
    `${cluster} is left as the other command has it: look at it with outrigger check --section registration`,
  );
}
