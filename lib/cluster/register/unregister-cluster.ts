// Removing the registration of a cluster, or of one of its revisions. What is gone already is no error.
import { OutriggerError } from "@outrigger/base";
import { type ClusterRecord, recordDigest } from "@outrigger/serving";
import { formatSettings, objectKeys } from "@outrigger/webhook";
import { readInstalled } from "../objects/installed-webhooks.ts";
import { assertOwnManaged, pathOfObject, revisionOf } from "../objects/own-objects.ts";
import { contentOf, type HeldLease, newLease, takenOver } from "./lease.ts";
import { openReconciler, type Reconciler } from "./reconciler.ts";
import type { RegistrationPorts, Subject } from "./registration.ts";
import { digestOfToken } from "./tokens.ts";

export interface UnregistrationRequest extends Subject {
  /** Left out: all of them. */
  readonly revision?: string;
  /** The custom resource that is deleted. What another resource has in use stays; left out: nothing does. */
  readonly stack?: string;
  /** Leave the cluster alone: it may well exist. */
  readonly keepObjects?: boolean;
}

type UnregistrationPorts = Pick<RegistrationPorts, "ask" | "readRecord" | "alarm" | "report" | "randomBytes" | "now">;

const GONE = "The cluster is gone";
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
  request: UnregistrationRequest,
  ports: UnregistrationPorts,
  kube: RegistrationPorts["kube"] | undefined,
): Promise<string> {
  const { cluster, cause } = request;
  const held = newLease({ cause, cluster }, ports);
  try {
    return await unregister(request, ports, kube, held);
  } catch (error) {
    // The next command need not wait until the lease has run out.
    await held.releaseQuietly();
    throw error;
  }
}

async function unregister(
  request: UnregistrationRequest,
  { readRecord, alarm, report }: UnregistrationPorts,
  kube: RegistrationPorts["kube"] | undefined,
  held: HeldLease,
): Promise<string> {
  const { cluster, deployment, revision, stack, keepObjects = false } = request;
  const said = (sentence: string) => {
    report(sentence);
    return sentence;
  };
  const record = await readRecord(cluster);
  /** Refuses a registration that is made meanwhile: without a record there is no lease to hold, and that registration has one. */
  const assertUnregistered = async () => {
    const now = await readRecord(cluster);
    if (now !== undefined) throw takenOver(cluster, now);
  };
  const free = { assertHeld: assertUnregistered, renew: assertUnregistered, renewAnyway: assertUnregistered };
  const turn = record === undefined ? { ...held, ...free } : held;
  const reconciler = kube && openReconciler(kube, { cluster, deployment }, turn);
  const toRemove = () =>
    (reconciler?.objects() ?? []).filter(({ object }) => revision === undefined || revisionOf(object) === revision);
  await reconciler?.look();
  for (const { object } of toRemove()) assertOwnManaged(kube?.name ?? "", object);
  const { revisions = {} } = record ?? {};
  const isUnknown = revision !== undefined && record !== undefined && !Object.hasOwn(revisions, revision);
  if (isUnknown && stack === undefined && toRemove().length === 0) {
    const there = Object.keys(revisions).join(", ");
    const message = `${cluster} has no revision ${revision}: name one of ${there} with --revision`;
    throw new OutriggerError("cluster-unknown", message, { path: revision });
  }
  // The record stays as it was read until the end: a registration that was made since has another token.
  const expect = recordDigest(record);
  if (record !== undefined) {
    await held.ask({ action: "put-cluster", ...held.change, expect, record: contentOf(record) });
    await reconciler?.takeOver();
  }
  const use = reconciler && useOfWebhooks(reconciler, request, record);
  if (use?.kind === "shared" && record !== undefined) {
    await use.leave();
    await held.ask({ action: "put-cluster", ...held.ending, expect, record: contentOf(record) });
    return said(`${cluster} stays registered by ${use.stacks.join(", ")}; outrigger unregister takes it away`);
  }
  if (reconciler === undefined) report(keepObjects ? KEPT : GONE);
  else if (use?.kind !== "own") report(RENAMED);
  else if (toRemove().length === 0) report("The cluster has no objects of Outrigger");
  // What a command had on its way when this one took over may have been made since.
  for (let round = 1; reconciler !== undefined && use?.kind === "own" && toRemove().length > 0; round++) {
    for (const { kind, name, object } of toRemove()) {
      await reconciler.remove(pathOfObject(object));
      report(`Removed ${kind} ${name}`);
    }
    if (round < ROUNDS) await reconciler.look();
  }
  if (use?.kind === "own" && revision === undefined) await reconciler?.removeOffMark();
  if (record === undefined) {
    await alarm.remove(cluster);
    await assertUnregistered();
    return said(`${cluster} was not registered`);
  }
  await held.assertHeld();
  const left = Object.keys(record.revisions).filter((name) => revision !== undefined && name !== revision);
  if (left.length === 0) {
    await alarm.remove(cluster);
    await held.ask({ action: "remove-cluster", ...held.change, expect });
    return said(`Unregistered ${cluster}`);
  }
  const kept = <Value>(of: Readonly<Record<string, Value>> = {}) =>
    Object.fromEntries(Object.entries(of).filter(([name]) => left.includes(name)));
  const rest = { ...contentOf(record), revisions: kept(record.revisions), settings: kept(record.settings) };
  await held.ask({ action: "put-cluster", ...held.ending, expect, record: rest });
  return said(`Unregistered revision ${revision} of ${cluster}; ${left.join(", ")} stay`);
}

const ROUNDS = 3;

/**
 * The owner of the webhooks of a revision, read under the record's lease. CloudFormation deletes the old resource after the new one is
 * made, under another name, logical ID or stack, and the new one when it rolls back: each time another resource continues with the same
 * webhooks. A person removes the whole registration.
 *
 * @param record that is to go
 */
function useOfWebhooks(
  reconciler: Reconciler,
  { revision, stack }: UnregistrationRequest,
  record: ClusterRecord | undefined,
) {
  // They go: no other resource has them, or there are none.
  const own = { kind: "own" } as const;
  if (stack === undefined) return own;
  const installed = reconciler.installed().filter((webhook) => webhook.revision === revision);
  const tokens = installed.flatMap(({ token }) => (token === undefined ? [] : [digestOfToken(token)]));
  const isOurs = (digest: string) => record?.tokens.some(({ sha256 }) => sha256 === digest) === true;
  // They call with the token of another record: the cluster was registered under another name since.
  if (tokens.length > 0 && !tokens.some(isOurs)) return { kind: "renamed" } as const;
  const stacks = installed.flatMap(({ settings }) => settings?.stacks ?? []).filter((one) => one !== stack);
  if (stacks.length === 0) return own;
  // Other resources registered them too: the one that is deleted is taken off them.
  const leave = async () => {
    for (const { object } of installed) {
      await reconciler.patch(pathOfObject(object), (there) => {
        const { settings: kept } = readInstalled(there);
        if (kept?.stacks === undefined || !kept.stacks.includes(stack)) return undefined;
        const settings = formatSettings({ ...kept, token: "", stacks: kept.stacks.filter((one) => one !== stack) });
        return { metadata: { annotations: { [objectKeys.settings]: settings } } };
      });
    }
  };
  return { kind: "shared", stacks: [...new Set(stacks)], leave } as const;
}
