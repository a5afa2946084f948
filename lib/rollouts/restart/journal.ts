// The journal of a restart: a ConfigMap of the cluster that says who restarts what, so that a command that was stopped goes on where
// it was, and no two do it at once. What was begun is not in it: each workload says so itself, by the time of the restart.
import { isObject, type JsonObject, OutriggerError, objectOf } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import type { LeftWorkload, RestartQuestion } from "./plan-restart.ts";

/** Who is at it, and until when another may not be. */
interface Lease {
  readonly id: string;
  readonly by: string;
  /** ISO 8601, UTC. */
  readonly until: string;
}

/** A restart, as its journal has it. */
export interface RestartJournal {
  /** When it began: ISO 8601, UTC. Its workloads are marked with it. */
  readonly at: string;
  readonly by: string;
  readonly question: RestartQuestion;
  /** At most so many workloads at a time. */
  readonly parallel: number;
  /** `22:00-04:00`, UTC; left out, at any time. */
  readonly window?: string;
  readonly state: "running" | "stopping" | "stopped" | "failed" | "done";
  /** Grows with each command that takes it over. */
  readonly epoch: number;
  readonly lease?: Lease;
  readonly done: number;
  /** `shop/Deployment/web`: begun, and not complete yet. */
  readonly moving: readonly string[];
  readonly waiting: number;
  readonly left: readonly LeftWorkload[];
  readonly failure?: LeftWorkload;
}

/** Whether there is something to go on with, where one that was stopped or failed counts or not. */
function isUnfinished({ state }: RestartJournal, isResumed: boolean): boolean {
  return state === "running" || state === "stopping" || (isResumed && state !== "done");
}

/** A namespace that every cluster has. */
const NAMESPACE = "default";

/** The name of the ConfigMap of a deployment's restarts. */
export function journalName(deployment: string): string {
  return `outrigger-restart-${deployment}`;
}

function pathOf(deployment: string): string {
  return `/api/v1/namespaces/${NAMESPACE}/configmaps/${journalName(deployment)}`;
}

interface Stored {
  readonly journal: RestartJournal;
  readonly version: string;
}

/** The journal of the last restart, or undefined where there was none. */
export async function readJournal(
  kube: Pick<KubeClient, "get">,
  deployment: string,
): Promise<RestartJournal | undefined> {
  return (await readStored(kube, deployment))?.journal;
}

async function readStored(kube: Pick<KubeClient, "get">, deployment: string): Promise<Stored | undefined> {
  const object = await kube.get(pathOf(deployment));
  if (object === undefined) return undefined;
  const text = objectOf(object["data"])["restart"];
  const value = typeof text === "string" ? parsed(text) : undefined;
  if (!isObject(value) || typeof value["at"] !== "string" || typeof value["state"] !== "string") {
    throw new OutriggerError(
      "cluster-refused",
      `Cannot read the ConfigMap ${journalName(deployment)} in the namespace ${NAMESPACE}: it is no journal of a restart; delete it (kubectl delete configmap -n ${NAMESPACE} ${journalName(deployment)})`,
      { path: journalName(deployment) },
    );
  }
  return { journal: value as unknown as RestartJournal, version: versionOf(object) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function versionOf({ metadata }: JsonObject): string {
  return String(objectOf(metadata)["resourceVersion"] ?? "");
}

const LEASE_MILLISECONDS = 60_000;

/** A journal that this command holds: each write renews the lease, and fails where another command has had it. */
export interface HeldJournal {
  readonly current: () => RestartJournal;
  /** Writes what has changed; with nothing changed, only where the lease has run for a third of its time. */
  readonly write: (change: Partial<RestartJournal>) => Promise<void>;
  /** Lets another command have it. */
  readonly release: (change: Partial<RestartJournal>) => Promise<void>;
}

export interface JournalPorts {
  readonly kube: KubeClient;
  readonly now: () => number;
  /** Of this command alone. */
  readonly id: string;
  readonly by: string;
}

/**
 * Takes the journal: that of the restart which was not finished, or a new one.
 *
 * @throws OutriggerError `cluster-conflict` while another command holds it
 */
export async function takeJournal(
  deployment: string,
  { isResumed, question, parallel, window }: Pick<RestartJournal, "question" | "parallel" | "window"> & {
    readonly isResumed: boolean;
  },
  { kube, now, id, by }: JournalPorts,
): Promise<HeldJournal> {
  const stored = await readStored(kube, deployment);
  const lease = stored?.journal.lease;
  if (lease !== undefined && lease.id !== id && Date.parse(lease.until) > now()) throw heldBy(lease);
  const isNew = stored === undefined || !isUnfinished(stored.journal, isResumed);
  const first = { question, parallel, ...(window !== undefined && { window }) };
  const epoch = (stored?.journal.epoch ?? 0) + 1;
  // Whole seconds, as kubectl writes it.
  const at = `${new Date(now()).toISOString().slice(0, 19)}Z`;
  let journal: RestartJournal = isNew
    ? { ...first, at, by, state: "running", epoch, done: 0, moving: [], waiting: 0, left: [] }
    : { ...withoutFailure(stored.journal), epoch, state: "running" };
  let version = stored?.version;
  let renewed = 0;
  const put = async (wanted: RestartJournal) => {
    for (let [next, attempt] = [wanted, 1]; ; attempt++) {
      try {
        version = await storeJournal(kube, deployment, next, version);
        journal = next;
        return;
      } catch (error) {
        const isConflict = error instanceof OutriggerError && error.code === "cluster-conflict";
        if (!isConflict || attempt === TRIES) throw error;
        const there = await readStored(kube, deployment);
        if (there?.journal.lease?.id !== id) throw heldBy(there?.journal.lease);
        version = there.version;
        // Another command asks this one to stop.
        if (there.journal.state === "stopping" && next.state === "running") next = { ...next, state: "stopping" };
      }
    }
  };
  const write = async (change: Partial<RestartJournal>) => {
    const time = now();
    if (Object.keys(change).length === 0 && time - renewed < LEASE_MILLISECONDS / 3) return;
    const until = new Date(time + LEASE_MILLISECONDS).toISOString();
    await put({ ...journal, ...change, lease: { id, by, until } });
    renewed = time;
  };
  await write({});
  return {
    current: () => journal,
    write,
    release: async (change) => {
      const { lease: _, ...rest } = { ...journal, ...change };
      await put(rest);
    },
  };
}

const TRIES = 5;

/** @returns the version that was written */
async function storeJournal(
  kube: Pick<KubeClient, "apply" | "replace">,
  deployment: string,
  journal: RestartJournal,
  version: string | undefined,
): Promise<string> {
  const name = { name: journalName(deployment), namespace: NAMESPACE };
  const metadata = { ...name, ...(version !== undefined && { resourceVersion: version }) };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { restart: JSON.stringify(journal) } };
  const path = pathOf(deployment);
  const isThere = version !== undefined;
  return versionOf(isThere ? await kube.replace(path, object) : await kube.apply(path, object, { force: false }));
}

function withoutFailure({ failure: _, ...journal }: RestartJournal): RestartJournal {
  return journal;
}

function heldBy(lease: Lease | undefined): OutriggerError {
  const who = lease === undefined ? "another command" : `${lease.by} (until ${lease.until} at least)`;
  return new OutriggerError(
    "cluster-conflict",
    `Cannot restart workloads: ${who} is at it; look at it with outrigger restart status, or stop it with outrigger restart stop`,
  );
}

/** Asks the command that holds the journal to begin nothing more; what it has begun is completed. */
export async function stopJournal(kube: KubeClient, deployment: string, now: number): Promise<RestartJournal | undefined> {
  const stored = await readStored(kube, deployment);
  if (stored === undefined || stored.journal.state !== "running") return stored?.journal;
  const { lease } = stored.journal;
  const isHeld = lease !== undefined && Date.parse(lease.until) > now;
  const next = { ...stored.journal, state: isHeld ? ("stopping" as const) : ("stopped" as const) };
  await storeJournal(kube, deployment, next, stored.version);
  return next;
}
