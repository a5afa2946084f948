// The journal of a restart: a ConfigMap of the cluster that says who restarts what, so that a command that was stopped goes on where
// it was, and no two do it at once. What was begun is not in it: each workload says so itself, by the time of the restart.
import { defined, isObject, isOwnError, type JsonValue, jsonEqual, OutriggerError, objectOf } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { metadataOf } from "@outrigger/pod";
import type { Tally } from "../judge/pod-signals.ts";
import type { LeftWorkload, RestartQuestion } from "./plan-restart.ts";

/** Who is at it, and until when another may not be. */
interface Lease {
  readonly id: string;
  readonly by: string;
  /** ISO 8601, UTC. */
  readonly until: string;
}

/** Why a restart stopped. */
export interface RestartFailure extends Omit<LeftWorkload, "workload"> {
  /** The one that does not come back; left out where it is not a workload that stopped it. */
  readonly workload?: string;
  /** Where the trouble is. */
  readonly pod?: string;
  readonly container?: string;
  /** What is wrong is the author's: an image of its own that cannot be pulled. */
  readonly isOwn?: true;
}

/** What is asked for when a restart begins; of one that is gone on with, its journal says. */
export interface RestartPlanned {
  readonly question: RestartQuestion;
  /** At most so many workloads at a time. */
  readonly parallel: number;
  /** `22:00-04:00`, UTC; left out, at any time. */
  readonly window?: string;
  /** Seconds from one that is back to the next that is begun. */
  readonly pause?: number;
  /** What it is for: why a release was taken back. */
  readonly why?: string;
  /** How the workloads did before, where their pods are judged. */
  readonly before?: Tally;
}

/** A restart, as its journal has it. */
export interface RestartJournal extends RestartPlanned {
  /** Whose release it is. */
  readonly deployment: string;
  /** When it began: ISO 8601, UTC. Its workloads are marked with it. */
  readonly at: string;
  readonly by: string;
  readonly state: "running" | "stopping" | "stopped" | "failed" | "done";
  /** Grows with each command that takes it over. */
  readonly epoch: number;
  readonly lease?: Lease;
  readonly done: number;
  /** `shop/Deployment/web`: begun, and not complete yet. */
  readonly moving: readonly string[];
  readonly waiting: number;
  readonly left: readonly LeftWorkload[];
  readonly failure?: RestartFailure;
  /** When it came to its end: ISO 8601, UTC. */
  readonly ended?: string;
}

/**
 * Whether there is something to go on with.
 *
 * @param isResumed whether one that was stopped or failed counts
 */
export function isUnfinished({ state }: Pick<RestartJournal, "state">, isResumed: boolean): boolean {
  return state === "running" || state === "stopping" || (isResumed && state !== "done");
}

/** In a namespace that every cluster has. The role of `outrigger print rbac restart` allows this name only. */
const RESTART_JOURNAL = { name: "outrigger-restart", namespace: "default" } as const;
const PATH = `/api/v1/namespaces/${RESTART_JOURNAL.namespace}/configmaps/${RESTART_JOURNAL.name}`;

interface Stored {
  readonly journal: RestartJournal;
  readonly version: string;
}

/** The journal of the last restart, or undefined where there was none. */
export async function readJournal(kube: Pick<KubeClient, "get">): Promise<RestartJournal | undefined> {
  return (await readStored(kube))?.journal;
}

async function readStored(kube: Pick<KubeClient, "get">): Promise<Stored | undefined> {
  const object = await kube.get(PATH);
  if (object === undefined) return undefined;
  const text = objectOf(object["data"])["restart"];
  const value = typeof text === "string" ? parsed(text) : undefined;
  const { name, namespace } = RESTART_JOURNAL;
  if (!isObject(value) || typeof value["at"] !== "string" || typeof value["state"] !== "string") {
    throw new OutriggerError(
      "cluster-refused",
      `Cannot read the ConfigMap ${name} in the namespace ${namespace}: it is no journal of a restart; delete it (kubectl delete configmap -n ${namespace} ${name})`,
      { path: name },
    );
  }
  return { journal: value as unknown as RestartJournal, version: metadataOf(object).resourceVersion };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
  { isResumed, ...planned }: RestartPlanned & { readonly isResumed: boolean },
  { kube, now, id, by }: JournalPorts,
): Promise<HeldJournal> {
  const stored = await readStored(kube);
  const lease = stored?.journal.lease;
  if (lease !== undefined && lease.id !== id && Date.parse(lease.until) > now()) throw heldBy(lease);
  const { question, parallel, window, pause, why, before } = planned;
  const isOther = stored !== undefined && stored.journal.deployment !== deployment;
  if (isOther && question.release === undefined && isUnfinished(stored.journal, false))
    throw otherDeployment(stored.journal);
  // What loses a release that was taken back is not kept waiting by what was begun before, nor is a share's next step.
  const isOwn = question.release !== undefined || question.share !== undefined;
  const isSame = !isOwn || jsonEqual(stored?.journal.question as JsonValue, question as JsonValue);
  const isNew = isOther || stored === undefined || !isSame || !isUnfinished(stored.journal, isResumed);
  const first = { question, parallel, ...defined({ window, pause, why, before }) };
  const epoch = (stored?.journal.epoch ?? 0) + 1;
  const at = nextTime(now(), stored?.journal.at);
  const {
    failure: _,
    ended: _ended,
    ...begun
  }: Omit<RestartJournal, "epoch" | "state"> = isNew
    ? { ...first, deployment, at, by, done: 0, moving: [], waiting: 0, left: [] }
    : stored.journal;
  let journal: RestartJournal = { ...begun, epoch, state: "running" };
  let version = stored?.version;
  let renewed = 0;
  const put = async (wanted: RestartJournal) => {
    for (let [next, attempt] = [wanted, 1]; ; attempt++) {
      try {
        version = await storeJournal(kube, next, version);
        journal = next;
        return;
      } catch (error) {
        if (!isOwnError(error, "cluster-conflict") || attempt === TRIES) throw error;
        const there = await readStored(kube);
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
      const { lease: _, ...rest } = { ...journal, ...change, ended: new Date(now()).toISOString() };
      await put(rest);
    },
  };
}

/** In whole seconds, as kubectl writes it, and never that of the restart before. */
function nextTime(now: number, earlier: string | undefined): string {
  const after = (Date.parse(earlier ?? "") || 0) + 1000;
  return `${new Date(Math.max(now, after)).toISOString().slice(0, 19)}Z`;
}

const TRIES = 5;

/** @returns the version that was written */
async function storeJournal(
  kube: Pick<KubeClient, "apply" | "replace">,
  journal: RestartJournal,
  version: string | undefined,
): Promise<string> {
  const metadata = { ...RESTART_JOURNAL, ...(version !== undefined && { resourceVersion: version }) };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { restart: JSON.stringify(journal) } };
  const isThere = version !== undefined;
  const stored = isThere ? await kube.replace(PATH, object) : await kube.apply(PATH, object, { force: false });
  return metadataOf(stored).resourceVersion;
}

function heldBy(lease: Lease | undefined): OutriggerError {
  const who = lease === undefined ? "another command" : `${lease.by} (until ${lease.until} at least)`;
  return new OutriggerError(
    "cluster-conflict",
    `Cannot restart workloads: ${who} is at it; look at it with outrigger restart status, or stop it with outrigger restart stop`,
  );
}

function otherDeployment({ deployment, by, at }: RestartJournal): OutriggerError {
  return new OutriggerError(
    "cluster-conflict",
    `Cannot restart workloads: ${by} began a restart for the deployment "${deployment}" at ${at} that is not finished; go on with it (outrigger restart resume --deployment ${deployment}), or stop it (outrigger restart stop)`,
  );
}

/** Asks the command that holds the journal to begin nothing more; what it has begun is completed. */
export async function stopJournal(kube: KubeClient, now: number): Promise<RestartJournal | undefined> {
  const stored = await readStored(kube);
  if (stored === undefined || stored.journal.state !== "running") return stored?.journal;
  const { lease } = stored.journal;
  const isHeld = lease !== undefined && Date.parse(lease.until) > now;
  const next = { ...stored.journal, state: isHeld ? ("stopping" as const) : ("stopped" as const) };
  await storeJournal(kube, next, stored.version);
  return next;
}
