// Owns taking a cluster, or one of its revisions, out again. What is gone already is no error.
import type { ClusterRecord } from "../serve/cluster-record.ts";
import { type RegistrationPorts, removeObjects, type Subject } from "./registration.ts";

export interface UnregistrationRequest extends Subject {
  /** Left out: all of them. */
  readonly revision?: string;
  /** The cluster is not asked, and may well be there. */
  readonly keepObjects?: boolean;
}

const GONE = "The cluster is gone";
const KEPT =
  "What is in the cluster stays there, and its calls are refused once the token is gone: outrigger off --remove takes it away";

/**
 * Removes the objects first, so that no API server calls with a token that is not known any more; then alarm and record.
 *
 * @param kube undefined where the cluster is gone, or is left alone
 */
export async function unregisterCluster(
  { cluster, deployment, cause, revision, keepObjects = false }: UnregistrationRequest,
  ports: Pick<RegistrationPorts, "ask" | "readRecord" | "alarm" | "report">,
  kube: RegistrationPorts["kube"] | undefined,
): Promise<void> {
  const { ask, readRecord, alarm, report } = ports;
  const removed = kube === undefined ? [] : await removeObjects(kube, deployment, revision);
  for (const what of removed) report(`Removed ${what}`);
  if (kube === undefined) report(keepObjects ? KEPT : GONE);
  else if (removed.length === 0) report("Nothing of Outrigger is in the cluster");
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
