// The lease of a command that is changing a cluster: renewed while the command works. It keeps commands from beginning at the same
// time. What keeps a command that outlived its lease from writing is the version of each object: see reconciler.ts.
import { OutriggerError, ownError } from "@outrigger/base";
import { type ClusterRecord, recordDigest } from "@outrigger/serving";
import type { AskPublisher } from "../aws/ask-publisher.ts";
import type { RegistrationPorts, Subject } from "./registration.ts";

export type LeasePorts = Pick<RegistrationPorts, "ask" | "readRecord" | "randomBytes" | "now">;

export type HeldLease = ReturnType<typeof newLease>;

/** Longer than a registration takes: the self-test and the proof wait a minute and a half each. */
const LEASE_SECONDS = 300;

/** A lease of this command's own; the first change that is sent with it takes it. */
export function newLease({ cluster, cause }: Pick<Subject, "cluster" | "cause">, ports: LeasePorts) {
  const lease = { id: Buffer.from(ports.randomBytes(16)).toString("hex"), seconds: LEASE_SECONDS };
  const change = { cause, cluster, lease };
  let renewed = ports.now();
  let lost: OutriggerError | undefined;
  const ask: AskPublisher = async (request) => {
    const at = ports.now();
    const answer = await ports.ask(request);
    renewed = at;
    return answer;
  };
  /** An expired lease stays in the record until something changes it: one that is there still was nobody else's. */
  const renew = async ({ readRecord, ask }: LeasePorts, isNow = false) => {
    if (lost !== undefined) throw lost;
    const at = ports.now();
    if (!isNow && at - renewed < (LEASE_SECONDS / 2) * 1000) return;
    const record = await readRecord(cluster);
    try {
      if (record?.lease?.id !== lease.id) throw takenOver(cluster, record);
      await ask({ action: "put-cluster", ...change, record: contentOf(record), expect: recordDigest(record) });
    } catch (error) {
      lost = ownError(error, "cluster-conflict");
      throw lost;
    }
    renewed = at;
  };
  return {
    /** What every change of the record says. */
    change,
    /** Sends a change of the record: it takes or renews the lease. */
    ask,
    /** Renews a lease that has run for half of its time; throws `cluster-conflict` where another command has had the cluster. */
    assertHeld: () => renew(ports),
    /** Renews it now, whatever this machine's clock says. */
    renew: (given: LeasePorts = ports) => renew(given, true),
    /** The same for undoing: the error, also where nobody can say; undefined while the lease is held. */
    whyLost: (given: LeasePorts) => renew(given).then(() => undefined, ownError),
  };
}

/** @param record as it is now, where it was read */
export function takenOver(cluster: string, record?: ClusterRecord): OutriggerError {
  const holder = record?.lease === undefined ? "" : ` (${record.lease.by} is changing it now)`;
  const message = `Cannot continue with cluster ${cluster}: another command has changed it while this one waited${holder}; look at it with outrigger check --section registration --cluster ${cluster}, and run this again if it is still needed`;
  return new OutriggerError("cluster-conflict", message, { path: cluster });
}

/** A record without what only the publisher writes. */
export function contentOf({ lease: _, ...content }: ClusterRecord): Omit<ClusterRecord, "lease"> {
  return content;
}

/** What every change says that ends the lease. */
export function ending({ change }: HeldLease): HeldLease["change"] {
  return { ...change, lease: { id: change.lease.id, seconds: 0 } };
}

/**
 * Ends the lease.
 *
 * @param record what happens to it
 * @param before as this command has written it
 */
export async function releaseLease(
  { ask }: Pick<RegistrationPorts, "ask">,
  record: ClusterRecord,
  held: HeldLease,
  before: ClusterRecord = record,
): Promise<void> {
  await ask({ action: "put-cluster", ...ending(held), record, expect: recordDigest(before) });
}

/** Ends the lease on the record as it is. A lease that cannot be ended ends by itself. */
export async function releaseQuietly(ports: Pick<RegistrationPorts, "ask" | "readRecord">, held: HeldLease) {
  try {
    const record = await ports.readRecord(held.change.cluster);
    if (record?.lease?.id === held.change.lease.id) await releaseLease(ports, contentOf(record), held);
  } catch (error) {
    ownError(error);
  }
}
