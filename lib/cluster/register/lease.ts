// The lease of a command that is changing a cluster: renewed while the command works. It keeps commands from beginning at the same
// time. What keeps a command that outlived its lease from writing is the version of each object: see reconciler.ts.
import { OutriggerError, ownError } from "@outrigger/base";
import { type ClusterRecord, recordDigest } from "@outrigger/serving";
import type { AskPublisher } from "../aws/ask-publisher.ts";
import { learn } from "../fact.ts";
import type { RegistrationPorts, Subject } from "./registration.ts";

type LeasePorts = Pick<RegistrationPorts, "ask" | "readRecord" | "randomBytes" | "now">;

export type HeldLease = ReturnType<typeof newLease>;

/** Longer than a registration takes: the self-test and the proof wait a minute and a half each. */
const LEASE_SECONDS = 300;

/**
 * A lease of this command's own; the first change that is sent with it takes it.
 *
 * @param given continue when the command is stopped, as undoing does
 */
export function newLease({ cluster, cause }: Pick<Subject, "cluster" | "cause">, given: LeasePorts, ports = given) {
  const lease = { id: Buffer.from(ports.randomBytes(16)).toString("hex"), seconds: LEASE_SECONDS };
  const change = { cause, cluster, lease };
  const ending = { ...change, lease: { ...lease, seconds: 0 } };
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
  const release = async (record: ClusterRecord, before = record): Promise<void> => {
    await given.ask({ action: "put-cluster", ...ending, record, expect: recordDigest(before) });
  };
  return {
    /** The members of every change of the record. */
    change,
    /** The members of every change that ends the lease. */
    ending,
    /** Sends a change of the record: it takes or renews the lease. */
    ask,
    /** Renews a lease that has run for half of its time; throws `cluster-conflict` where another command has had the cluster. */
    assertHeld: () => renew(ports),
    /** Renews it now, whatever this machine's clock says. */
    renew: () => renew(ports, true),
    /** Renews it now, whatever this machine's clock says, for undoing. */
    renewAnyway: () => renew(given, true),
    /** The error of a lease that is to be renewed for undoing, also where its state cannot be read; undefined while it is held. */
    whyLost: () => renew(given).then(() => undefined, ownError),
    /** Ends the lease with the record that there is to be, in place of the one that this command has written. */
    release,
    /** Ends it on the record as it is. A lease that cannot be ended ends by itself. */
    releaseQuietly: () =>
      learn(async () => {
        const record = await given.readRecord(cluster);
        if (record?.lease?.id === lease.id) await release(contentOf(record));
      }),
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
