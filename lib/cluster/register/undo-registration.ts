// Undoing a registration that failed, as far as it is this command's own: what another command has done since stays.
import { isOwnError, type OutriggerError } from "@outrigger/base";
import { type ClusterRecord, recordDigest } from "@outrigger/serving";
import { learn } from "../fact.ts";
import { canReject, findObjects } from "../objects/own-objects.ts";
import { contentOf, type HeldLease } from "./lease.ts";
import type { Reconciler } from "./reconciler.ts";
import type { RegistrationPorts } from "./registration.ts";
import { isLive } from "./tokens.ts";

/**
 * Restores the cluster, then the record: while an object has the new token, the token has to be live.
 *
 * @returns why nothing was restored, where another command has the cluster
 */
export async function undoRegistration(
  given: RegistrationPorts,
  reconciler: Reconciler,
  record: ClusterRecord | undefined,
  next: ClusterRecord,
  held: HeldLease,
): Promise<OutriggerError | undefined> {
  const { ask, report } = given;
  const { cause, cluster } = held.change;
  const lost = await held.whyLost();
  if (lost !== undefined) {
    // Another command has had the cluster since: what it found and changed is its own. Only a token that is dead must not stay.
    const live = await Promise.all(next.tokens.map(({ sha256 }) => isLive(sha256, cluster, given)));
    const problems = live.includes(true) ? [] : await reconciler.removeMade();
    for (const problem of problems) report(`Not restored: ${problem}`);
    report(`${cluster} is left as the other command has it: look at it with outrigger check --section registration`);
    return lost.code === "cluster-conflict" ? lost : undefined;
  }
  const problems = await reconciler.undo();
  for (const problem of problems) report(`Not restored: ${problem}`);
  if (problems.length > 0) {
    report(await riskIn(given));
    report(`The record of ${cluster} stays as it is: run outrigger check --section registration, then register again`);
    await held.release(next).catch(() => undefined);
    return undefined;
  }
  const change = { ...held.ending, cause: { ...cause, why: "registration undone" }, expect: recordDigest(next) };
  try {
    if (record === undefined) await ask({ action: "remove-cluster", ...change });
    else await ask({ action: "put-cluster", ...change, record: contentOf(record) });
    report("Everything is as it was before");
  } catch (error) {
    report(
      isOwnError(error, "cluster-conflict")
        ? `The cluster is as it was before; the record of ${cluster} belongs to another command and is left as it is`
        : `The cluster is as it was before; the record of ${cluster} could not be restored: run outrigger register again`,
    );
  }
  return undefined;
}

/** Whether what is left in a cluster can reject pods: that is what matters to those who were interrupted. */
async function riskIn({ kube }: RegistrationPorts): Promise<string> {
  const left = await learn(() => findObjects(kube));
  if (!left.known)
    return `Whether pods are rejected is not known (${left.why}): if they are, outrigger off admits them`;
  return left.value.some(({ object }) => canReject(object))
    ? "Pods may be rejected by what is left: if they are, outrigger off admits them"
    : "No pod is rejected by what is left: failures are ignored, and no safety net denies";
}
