// The journal of a restart: a ConfigMap of the cluster that says who restarts what, so that a command that was stopped continues where
// it was, and no two do it at once. What was begun is not in it: each workload says so itself, by the time of the restart.
import { defined, isObject, isOwnError, OutriggerError, objectOf, ownError, parseJson } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { metadataOf } from "@outrigger/pod";
import { objectKeys, ownNames } from "@outrigger/webhook";
import type { JournalPorts, Lease, RestartJournal, RestartPlanned } from "./journal-entry.ts";
import { isContinued, isUnderWay } from "./journal-entry.ts";
import { podPath, seeWorkload } from "./pods-of-workload.ts";
import { pathOfWorkload, timeText } from "./workload.ts";

/** The role of `outrigger print rbac restart` allows this name only. */
const PLACE = ownNames.restartJournal;
const PATH = `/api/v1/namespaces/${PLACE.namespace}/configmaps/${PLACE.name}`;

/** The journal of the last restart, or undefined where there was none. */
export async function readJournal(kube: Pick<KubeClient, "get">): Promise<RestartJournal | undefined> {
  return (await readStored(kube))?.journal;
}

async function readStored(kube: Pick<KubeClient, "get">) {
  const object = await kube.get(PATH);
  if (object === undefined) return undefined;
  const text = objectOf(object["data"])["restart"];
  const value = typeof text === "string" ? parseJson(text) : undefined;
  const { name, namespace } = PLACE;
  if (!isObject(value) || typeof value["at"] !== "string" || typeof value["state"] !== "string") {
    const message = `Cannot read the ConfigMap ${name} in the namespace ${namespace}: it is no journal of a restart; delete it (kubectl delete configmap -n ${namespace} ${name})`;
    throw new OutriggerError("cluster-refused", message, { path: name });
  }
  return { journal: value as unknown as RestartJournal, version: metadataOf(object).resourceVersion };
}

const LEASE_MILLISECONDS = 60_000;

/** A journal that this command holds: a timer and each write renew the lease; they fail where another command has had it. */
export type HeldJournal = Awaited<ReturnType<typeof takeJournal>>;

/**
 * Takes the journal: that of the restart which was not finished, or a new one.
 *
 * @param patient for what cannot wait for the next time
 * @throws OutriggerError `cluster-conflict` while another command holds it
 */
export async function takeJournal(
  deployment: string,
  { isResumed, ...planned }: RestartPlanned & { readonly isResumed: boolean },
  { kube, now, id, by, every = everyTime }: JournalPorts,
  patient: KubeClient = kube,
) {
  const stored = await readStored(patient);
  if (stored !== undefined && stored.journal.lease?.id !== id) assertFree(stored.journal, now());
  const { question, parallel, window, pause, bake, why, before } = planned;
  const isNew = stored === undefined || !isContinued(stored.journal, { deployment, question, isResumed }, now());
  if (stored !== undefined) await fence(patient, stored.journal, now());
  const first = { question, parallel, ...defined({ window, pause, bake, why, before }) };
  const epoch = (stored?.journal.epoch ?? 0) + 1;
  // Never that of the restart before.
  const at = timeText(Math.max(now(), (Date.parse(stored?.journal.at ?? "") || 0) + 1000));
  const fresh = { ...first, deployment, at, by, done: 0, moving: [], left: [] };
  const { failure: _, ended: _e, unlisted: _u, ...begun } = isNew ? (fresh as Partial<RestartJournal>) : stored.journal;
  let journal = { ...begun, epoch, state: "running" } as RestartJournal;
  let version = stored?.version;
  let renewed = 0;
  const put = async (wanted: RestartJournal, through = patient) => {
    for (let [next, attempt] = [wanted, 1]; ; attempt++) {
      try {
        version = await storeJournal(through, next, version);
        journal = next;
        return;
      } catch (error) {
        if (!isOwnError(error, "cluster-conflict") || attempt === TRIES) throw error;
        const there = await readStored(through);
        if (there !== undefined && textOf(there.journal) === textOf(next)) {
          // It was written, and the answer was lost.
          [version, journal] = [there.version, next];
          return;
        }
        // One that was stopped, or has ended, while this command was suspended is not taken back.
        if (there?.journal.epoch === epoch && !isUnderWay(there.journal)) throw endedMeanwhile(there.journal);
        if (there?.journal.lease?.id !== id) throw heldBy(there?.journal.lease);
        version = there.version;
        // Another command asks this one to stop.
        if (there.journal.state === "stopping" && next.state === "running") next = { ...next, state: "stopping" };
      }
    }
  };
  // One after the other, those of the timer too.
  let last = Promise.resolve();
  const inTurn = (task: () => Promise<void>) => {
    last = last.then(task, task);
    return last;
  };
  let lost: OutriggerError | undefined;
  const renew = async (change: Partial<RestartJournal>, through = patient) => {
    if (lost !== undefined) throw lost;
    const time = now();
    if (Object.keys(change).length === 0 && time - renewed < LEASE_MILLISECONDS / 4) return;
    const until = new Date(time + LEASE_MILLISECONDS).toISOString();
    await put({ ...journal, ...change, lease: { id, by, until } }, through);
    renewed = time;
  };
  await renew({});
  const stop = every(LEASE_MILLISECONDS / 4, () => {
    inTurn(() => renew({}, kube)).catch((error: unknown) => {
      if (isOwnError(error, "cluster-conflict")) lost = error;
    });
  });
  const end = (lease: Lease | undefined, change: Partial<RestartJournal>, through: KubeClient) => {
    stop();
    return inTurn(() => {
      const { lease: _, ...rest } = { ...journal, ...change };
      return put({ ...rest, ...defined({ lease }) }, through);
    });
  };
  const ended = () => new Date(now()).toISOString();
  return {
    current: () => journal,
    /** Writes what has changed; with nothing changed, only where the lease has run for a quarter of its time. */
    write: (change: Partial<RestartJournal>) => inTurn(() => renew(change)),
    release: (change: Partial<RestartJournal>) => end(undefined, { ...change, ended: ended() }, patient),
    /** Lets another command continue it at once; where it cannot be written, the lease runs out by itself. */
    leave: () => end({ id, by, until: ended() }, {}, kube).catch((error: unknown) => void ownError(error)),
  };
}

/** Keeps no process alive. */
function everyTime(milliseconds: number, call: () => void): () => void {
  const timer = setInterval(call, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
}

const TRIES = 5;

/** @returns the version that was written */
async function storeJournal(kube: KubeClient, journal: RestartJournal, version: string | undefined): Promise<string> {
  // A version makes an API server refuse the first one where another command has made it meanwhile.
  const metadata = { ...PLACE, resourceVersion: version ?? "1" };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { restart: textOf(journal) } };
  const isThere = version !== undefined;
  const stored = isThere ? await kube.replace(PATH, object) : await kube.apply(PATH, object, { force: false });
  return metadataOf(stored).resourceVersion;
}

/** Bytes: a ConfigMap takes a mebibyte, and names and annotations are in it too. */
const LONGEST = 1_000_000;

/** The journal as text. Of many workloads that are left, it has the first, and how many more there are. */
function textOf(journal: RestartJournal): string {
  for (let count = journal.left.length; ; count = Math.floor(count / 2)) {
    const rest = journal.left.length - count;
    const cut = rest === 0 ? journal : { ...journal, left: journal.left.slice(0, count), unlisted: rest };
    const text = JSON.stringify(cut);
    if (Buffer.byteLength(text) < LONGEST || count === 0) return text;
  }
}

/**
 * Refuses to continue a restart that a command is at, or was until less than a minute ago.
 *
 * @param now by the API server's clock
 * @throws OutriggerError `cluster-conflict`
 */
export function assertFree({ lease }: Pick<RestartJournal, "lease">, now: number): void {
  if (lease !== undefined && Date.parse(lease.until) > now) throw heldBy(lease);
}

function heldBy(lease: Lease | undefined): OutriggerError {
  const who = lease === undefined ? "another command" : `${lease.by} (until ${lease.until} at least)`;
  const message = `Cannot restart workloads: ${who} is at it; look at it with outrigger restart status, or stop it with outrigger restart stop; if that command was killed, run this again then`;
  return new OutriggerError("cluster-conflict", message);
}

function endedMeanwhile({ state, at }: RestartJournal): OutriggerError {
  const message = `Cannot continue the restart that began at ${at}: it is ${state} by now; continue it with outrigger restart resume`;
  return new OutriggerError("cluster-conflict", message);
}

/** Asks the command that holds the journal to begin nothing more; what it has begun is completed. */
export async function stopJournal(kube: KubeClient, now: number): Promise<RestartJournal | undefined> {
  const stored = await readStored(kube);
  if (stored === undefined || !isUnderWay(stored.journal)) return stored?.journal;
  const { lease, ...left } = stored.journal;
  const isHeld = lease !== undefined && Date.parse(lease.until) > now;
  const ended = new Date(now).toISOString();
  const next: RestartJournal = isHeld ? { ...left, lease, state: "stopping" } : { ...left, state: "stopped", ended };
  await storeJournal(kube, next, stored.version);
  if (!isHeld) await fence(kube, next, now);
  return next;
}

/** The manager of the journal's fields. It is not the one of changes in place, whose time says when a pod was written. */
const FENCE = { manager: "outrigger-restart" };

/**
 * A command that was suspended in a write, and has lost its turn, writes nothing: each write names the version that it was read from, and
 * whatever that command was at gets another one before its turn is taken.
 */
async function fence(kube: KubeClient, { state, moving, question }: RestartJournal, now: number): Promise<void> {
  // One that has failed has waited for its last answer.
  if (state === "failed") return;
  const touched = { metadata: { annotations: { [objectKeys.restart]: new Date(now).toISOString() } } };
  for (const name of moving) {
    const seen = await seeWorkload(kube, name);
    const path = pathOfWorkload(name) as string;
    if (seen !== undefined && question.inPlace === undefined) await kube.mergePatch(path, touched, FENCE);
    if (question.inPlace === undefined && question.release === undefined) continue;
    for (const pod of (seen?.pods ?? []).map(metadataOf)) {
      await kube.mergePatch(podPath(pod.namespace, pod.name), touched, FENCE);
    }
  }
}
