// Removing the registration of a cluster, or of one of its revisions. What is gone already is no error.
import { OutriggerError } from "@outrigger/base";
import { type ClusterRecord, recordDigest } from "@outrigger/serving";
import type { KubeClient } from "../kube/kube-client.ts";
import { assertOwnManaged } from "../objects/object-owner.ts";
import { findObjects, removeObjects } from "../objects/own-objects.ts";
import { fencedKube, signObjects } from "./fence.ts";
import { newLease, takenOver } from "./held-lease.ts";
import { useOfWebhooks } from "./leave-stack.ts";
import { contentOf, type RegistrationPorts, released, type Subject } from "./registration.ts";

export interface UnregistrationRequest extends Subject {
  /** Left out: all of them. */
  readonly revision?: string;
  /** The custom resource that is deleted. What another resource has in use stays; left out: nothing does. */
  readonly stack?: string;
  /** Leave the cluster alone: it may well exist. */
  readonly keepObjects?: boolean;
}

const GONE = "The cluster is gone";
const OWN = { kind: "own" } as const;
const RENAMED = "The webhooks stay: the cluster calls with a token of another registration";
const KEPT =
  "What is in the cluster stays there, and its calls are rejected once the token is gone: outrigger off --remove removes it";

/**
 * Removes the objects first, so that no API server calls with a token that is no longer known; then the alarm and the record.
 *
 * @param kube undefined where the cluster is gone, or is left alone
 * @returns what was done, as a sentence
 * @throws OutriggerError `cluster-conflict` where another command is changing the cluster, or another tool manages an object
 */
export async function unregisterCluster(
  { cluster, deployment, cause, revision, stack, keepObjects = false }: UnregistrationRequest,
  ports: Pick<RegistrationPorts, "ask" | "readRecord" | "alarm" | "report" | "randomBytes" | "now">,
  kube: RegistrationPorts["kube"] | undefined,
): Promise<string> {
  const { readRecord, alarm, report } = ports;
  const said = (sentence: string) => {
    report(sentence);
    return sentence;
  };
  const record = await readRecord(cluster);
  if (kube !== undefined) {
    for (const { kind, object } of await findObjects(kube, deployment, revision)) {
      assertOwnManaged(kube.name, { ...object, kind });
    }
  }
  if (
    stack === undefined &&
    revision !== undefined &&
    record !== undefined &&
    !Object.hasOwn(record.revisions, revision)
  ) {
    const isThere = kube !== undefined && (await findObjects(kube, deployment, revision)).length > 0;
    if (!isThere) throw unknownRevision(cluster, revision, record);
  }
  const held = newLease({ cause, cluster }, ports);
  const { ask } = held;
  // The record stays as it was read until the end: a registration that was made since has another token.
  const change = { ...held.change, expect: recordDigest(record) };
  if (record !== undefined) await ask({ action: "put-cluster", ...change, record: contentOf(record) });
  /** Without a record there is no lease to hold: a registration that is made meanwhile has one. */
  const assertUnregistered = async () => {
    const now = await readRecord(cluster);
    if (now !== undefined) throw takenOver(cluster, now);
  };
  if (record !== undefined && kube !== undefined) await signObjects(kube, deployment, held);
  const fenced = kube && (record === undefined ? checkedKube(kube, assertUnregistered) : fencedKube(kube, held));
  const use = fenced === undefined ? OWN : await useOfWebhooks(fenced, { deployment, revision, stack, record });
  if (use.kind === "shared" && record !== undefined) {
    await use.leave();
    await ask({ action: "put-cluster", ...change, record: contentOf(record), lease: released(change.lease) });
    return said(`${cluster} stays registered by ${use.stacks.join(", ")}; outrigger unregister takes it away`);
  }
  const removed = fenced === undefined || use.kind !== "own" ? [] : await removeObjects(fenced, deployment, revision);
  for (const what of removed) report(`Removed ${what}`);
  if (fenced === undefined) report(keepObjects ? KEPT : GONE);
  else if (use.kind !== "own") report(RENAMED);
  else if (removed.length === 0) report("The cluster has no objects of Outrigger");
  if (record === undefined) {
    await alarm.remove(cluster);
    await assertUnregistered();
    return said(`${cluster} was not registered`);
  }
  await held.assertHeld();
  const left = revisionsLeft(record, revision);
  if (left === undefined) {
    await alarm.remove(cluster);
    await ask({ action: "remove-cluster", ...change });
    return said(`Unregistered ${cluster}`);
  } else {
    const lease = released(change.lease);
    await ask({ action: "put-cluster", ...change, record: withRevisions(record, left), lease });
    return said(`Unregistered revision ${revision} of ${cluster}; ${Object.keys(left).join(", ")} stay`);
  }
}

/** A client that removes an object as it was read, if nothing is wrong by then. */
function checkedKube(kube: KubeClient, check: () => Promise<void>): KubeClient {
  const remove: KubeClient["remove"] = async (path, version) => {
    await check();
    return kube.remove(path, version);
  };
  return { ...kube, remove };
}

function unknownRevision(cluster: string, revision: string, { revisions }: ClusterRecord): OutriggerError {
  const there = Object.keys(revisions).join(", ");
  return new OutriggerError(
    "cluster-unknown",
    `${cluster} has no revision ${revision}: name one of ${there} with --revision`,
    {
      path: revision,
    },
  );
}

/** The record with these revisions only. */
function withRevisions(record: ClusterRecord, revisions: ClusterRecord["revisions"]): Omit<ClusterRecord, "lease"> {
  const kept = Object.entries(record.settings ?? {}).filter(([revision]) => Object.hasOwn(revisions, revision));
  return { ...contentOf(record), revisions, settings: Object.fromEntries(kept) };
}

/** The remaining revisions, or undefined if there is none. */
function revisionsLeft(record: ClusterRecord, revision: string | undefined): ClusterRecord["revisions"] | undefined {
  const left = Object.entries(record.revisions).filter(([name]) => revision !== undefined && name !== revision);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}
