// Owns taking a cluster, or one of its revisions, out again. What is gone already is no error.
import type { ClusterRecord } from "../../lib/store/cluster-record.ts";
import { type RegistrationPorts, removeObjects, type Subject } from "./registration.ts";

export interface UnregistrationRequest extends Subject {
  /** Left out: all of them. */
  readonly revision?: string;
}

/**
 * Removes the objects first, so that no API server calls with a token that is not known any more; then alarm and record.
 *
 * @param kube undefined where the cluster is gone
 */
export async function unregisterCluster(
  { cluster, deployment, cause, revision }: UnregistrationRequest,
  ports: Pick<RegistrationPorts, "ask" | "readRecord" | "alarm" | "report">,
  kube: RegistrationPorts["kube"] | undefined,
): Promise<void> {
  const { ask, readRecord, alarm, report } = ports;
  const removed = kube === undefined ? [] : await removeObjects(kube, deployment, revision);
  for (const what of removed) report(`Removed ${what}`);
  if (removed.length === 0)
    report(kube === undefined ? "The cluster is gone" : "Nothing of Outrigger is in the cluster");
  const record = await readRecord(cluster);
  if (record === undefined) {
    report(`${cluster} was not registered`);
    await alarm.remove(cluster);
    return;
  }
  const left = revisionsLeft(record, revision);
  if (left === undefined) {
    await alarm.remove(cluster);
    await ask({ action: "remove-cluster", cause, cluster });
    report(`Unregistered ${cluster}`);
  } else {
    await ask({ action: "put-cluster", cause, cluster, record: { ...record, revisions: left } });
    report(`Unregistered revision ${revision} of ${cluster}; ${Object.keys(left).join(", ")} stay`);
  }
}

/** The revisions that stay, or undefined where none does. */
function revisionsLeft(record: ClusterRecord, revision: string | undefined): ClusterRecord["revisions"] | undefined {
  const left = Object.entries(record.revisions).filter(([name]) => revision !== undefined && name !== revision);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}
