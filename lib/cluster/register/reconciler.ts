// The one way in which a command changes a deployment's objects in a cluster: they are read once, and each is written as it was last
// seen, so that the API server refuses a write that comes too late. Then the object is read again, and so is whose turn it is. What
// another command has signed, made or removed since is left to it, and a cluster that was switched off since stays off. Undoing is
// writing back what was first read.
import { isOwnError, type JsonObject, OutriggerError, ownError } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import { findDrift, objectKeys, ownNames } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { readInstalled } from "../objects/installed-webhooks.ts";
import {
  applyObject,
  assertOwn,
  changesOf,
  deploymentOf,
  inOrderOfRemoval,
  isOffMark,
  leaseOf,
  listKind,
  managerOf,
  OWN_SELECTOR,
  type OwnKind,
  type OwnObjects,
  offMarkOf,
  ownKinds,
  pathOf,
  pathOfObject,
} from "../objects/own-objects.ts";
import { type HeldLease, takenOver } from "./lease.ts";
import type { Subject } from "./registration.ts";
import { type Entry, mergedPatch, undoAll } from "./undo-objects.ts";

export type Reconciler = ReturnType<typeof openReconciler>;

/** The lease that must be held, and the signature of what is written. */
export type Turn = Pick<HeldLease, "change" | "assertHeld" | "renew" | "renewAnyway">;

const TRIES = 6;
const CONFIGURATION: OwnKind = "MutatingWebhookConfiguration";
const OFF_MARK_PATH = pathOf(CONFIGURATION, ownNames.offMark);

/** A write: what happens to the object, null for a removal, and the call, which answers the object where there is one. */
interface Write {
  readonly sent: JsonObject | null;
  readonly send: () => Promise<JsonObject | undefined>;
  /** Whether it is one request: where that is refused, nothing has happened. */
  readonly isOneRequest: boolean;
}

export interface ReconcilerOptions extends Pick<Subject, "deployment" | "cluster"> {
  /** Whether it stops where the webhooks were switched off, made or removed since, as a registration does. */
  readonly isRegistration?: boolean;
  /** Continues when the command is stopped, as undoing does; the same where it is left out. */
  readonly given?: KubeClient;
}

export function openReconciler(
  kube: KubeClient,
  { deployment, cluster, isRegistration = false, given = kube }: ReconcilerOptions,
  turn: Turn,
) {
  const { id } = turn.change.lease;
  /** The objects by path: as first read, as last seen or written, and all that was written. */
  let first: ReadonlyMap<string, JsonObject> | undefined;
  let seen = new Map<string, JsonObject>();
  const written = new Map<string, Entry>();
  let [isSigned, hasMade] = [false, false];

  const isWatched = (object: JsonObject) => isOffMark(object) || deploymentOf(object) === deployment;
  const objects = () => inOrderOfRemoval([...seen.values()].filter((one) => isWatched(one) && !isOffMark(one)));
  const configurations = () => objects().filter(({ kind }) => kind === CONFIGURATION);
  const isConfiguration = (path: string) => path.startsWith(`${pathOf(CONFIGURATION)}/`);
  const undo = (isUndone: (entry: Entry) => boolean) => {
    const undone = [...written].filter(([, entry]) => isUndone(entry));
    return undoAll({ kube: given, lease: id, assertHeld: turn.renewAnyway }, undone);
  };

  function assertNotOff(path: string, there: JsonObject | undefined): void {
    const mark = offMarkOf(there);
    if (isRegistration && mark !== undefined && mark !== offMarkOf(first?.get(path))) throw switchedOff(cluster, mark);
  }

  /** An object that was made or removed by another command is neither written over nor made again. */
  function assertKnown(path: string, there: JsonObject | undefined): void {
    assertNotOff(path, there);
    if (seen.has(path) !== (there !== undefined)) throw overtaken(cluster, path, seen.has(path));
  }

  function assertAllKnown(now: readonly JsonObject[]): void {
    const there = new Map(now.filter(isWatched).map((object) => [pathOfObject(object), object]));
    const known = [...seen].flatMap(([path, object]) => (isConfiguration(path) && isWatched(object) ? [path] : []));
    for (const path of new Set([...known, ...there.keys()])) assertKnown(path, there.get(path));
  }

  /** Reads every object, the webhook configurations first: off is stronger than everything that began before it. */
  async function look(): Promise<void> {
    const now: JsonObject[] = [];
    for (const kind of ownKinds) now.push(...(await listKind(kube, kind)));
    if (isRegistration && first !== undefined) assertAllKnown(now.filter((object) => object["kind"] === CONFIGURATION));
    first = new Map(now.map((object) => [pathOfObject(object), object]));
    seen = new Map(first);
  }

  const lookAtConfigurations = (by: KubeClient) => listKind(by, CONFIGURATION, { labelSelector: OWN_SELECTOR });

  function signed(metadata: JsonObject): JsonObject {
    const { annotations } = metadataOf({ metadata });
    return { ...metadata, annotations: { ...annotations, [objectKeys.lease]: id } };
  }

  const isUnsigned = ({ object }: OwnObjects[number]) => leaseOf(object) !== id && managerOf(object) === undefined;

  /**
   * Reads and signs every object: what a command whose lease has ended has still on its way finds another version. Throws
   * `cluster-conflict` where another command has taken the lease since, or changed the webhooks that were seen before.
   */
  async function takeOver(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await look();
      // A command that takes the lease after this look signs later versions than these, and stops this one with that.
      await turn.renew();
      try {
        for (const { object } of objects().filter(isUnsigned)) {
          const { resourceVersion } = metadataOf(object);
          const path = pathOfObject(object);
          const patched = await kube.mergePatch(path, { metadata: signed({ resourceVersion }) });
          if (patched !== undefined) seen.set(path, patched);
          else if (isRegistration) assertKnown(path, undefined);
          else seen.delete(path);
        }
        isSigned = true;
        return;
      } catch (error) {
        if (!isOwnError(error, "cluster-conflict") || attempt === TRIES) throw error;
      }
    }
  }

  /**
   * Every command changes a webhook configuration before anything else, if only by signing it: one look at them, in which nothing can
   * happen, shows another command whether all is as that one has left it.
   */
  async function signConfigurations(): Promise<void> {
    if (isSigned) return;
    isSigned = true;
    for (const { object } of configurations().filter(isUnsigned)) await patch(pathOfObject(object), () => ({}));
  }

  /** No version keeps a creation back that comes late: before it becomes stricter, the publisher is asked. */
  async function assertTurn(isCreation: boolean): Promise<void> {
    if (hasMade && !isCreation) await turn.renew();
    else await turn.assertHeld();
    hasMade = isCreation;
  }

  function note(path: string, object: JsonObject | null): void {
    const earlier = written.get(path)?.written ?? [];
    written.set(path, { before: first?.get(path), written: [object, ...earlier] });
  }

  function forget(path: string, earlier: Entry | undefined): void {
    if (earlier === undefined) written.delete(path);
    else written.set(path, earlier);
  }

  async function write(path: string, plan: (before: JsonObject | undefined) => Write | undefined): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      const planned = plan(seen.get(path));
      if (planned === undefined) return attempt > 1;
      if (!isConfiguration(path)) await signConfigurations();
      await assertTurn(!seen.has(path));
      const earlier = written.get(path);
      note(path, planned.sent);
      try {
        const answer = await planned.send();
        if (answer !== undefined) {
          seen.set(path, answer);
          note(path, answer);
          return true;
        }
        if (planned.sent === null) {
          seen.delete(path);
          return true;
        }
        // A patch finds no object any more.
      } catch (error) {
        // What was refused needs no undoing, for which the permission would be missing as well.
        const isRefused = planned.isOneRequest && isOwnError(error, "cluster-denied", "cluster-refused");
        if (isRefused) forget(path, earlier);
        if (!isOwnError(error, "cluster-conflict") || attempt === TRIES) throw error;
      }
      await lookAgain(path, planned.sent === null);
    }
  }

  /** The version that is read counts only if it is this command's turn afterwards: one that takes over signs a later one. */
  async function lookAgain(path: string, isRemoval: boolean): Promise<void> {
    const there = await kube.get(path);
    if (isRemoval && there === undefined) return void seen.delete(path);
    assertNotOff(path, there);
    if (there === undefined || leaseOf(there) !== id) {
      if (there !== undefined) assertOwn(kube.name, there, deployment);
      assertKnown(path, there);
      if (leaseOf(there) !== leaseOf(seen.get(path))) throw takenOver(cluster);
      // Nothing of this command's has arrived: this is what an undo goes back to.
      if (there !== undefined) first = new Map(first).set(path, there);
      written.delete(path);
    }
    await turn.renew();
    if (there !== undefined) seen.set(path, there);
  }

  /** Writes an object where it differs: what others have set, added or removed in it is taken back. */
  async function put(object: JsonObject): Promise<void> {
    const path = pathOfObject(object);
    const isWritten = await write(path, (before) => {
      if (changesOf(object, before).length === 0) return undefined;
      const sent = { ...object, metadata: signed(object["metadata"] as JsonObject) };
      return { sent, send: () => applyObject(kube, path, sent, before), isOneRequest: before === undefined };
    });
    const [left] = isWritten ? findDrift(object, seen.get(path)) : [];
    if (left === undefined) return;
    const message = `Cluster ${kube.name} does not keep what was applied: ${left.place} is ${left.actual} and not ${left.expected}; find what changes it with kubectl get mutatingwebhookconfiguration -o yaml --show-managed-fields`;
    throw new OutriggerError("cluster-conflict", message);
  }

  /** Merges a patch (RFC 7386) for the object as it was last seen; undefined leaves it as it is. */
  async function patch(path: string, change: (object: JsonObject) => JsonObject | undefined): Promise<void> {
    await write(path, (before) => {
      const changed = before && change(before);
      if (before === undefined || changed === undefined) return undefined;
      const { annotations } = (changed["metadata"] ?? {}) as JsonObject;
      const { resourceVersion } = metadataOf(before);
      const lease = { [objectKeys.lease]: id };
      // A merge patch replaces lists whole: the version makes it fail if the object has changed since it was read.
      const metadata = { resourceVersion, annotations: { ...(annotations as JsonObject | undefined), ...lease } };
      const sent = { ...changed, metadata };
      const merged = mergedPatch(before, sent) as JsonObject;
      return { sent: merged, send: () => kube.mergePatch(path, sent), isOneRequest: true };
    });
  }

  async function remove(path: string): Promise<void> {
    await write(path, (before) => {
      if (before === undefined) return undefined;
      const send = () => kube.remove(path, metadataOf(before).resourceVersion).then(() => undefined);
      return { sent: null, send, isOneRequest: true };
    });
  }

  return {
    look,
    takeOver,
    /** The deployment's objects, as they were last seen or written. */
    objects,
    installed: () => configurations().map(({ object }) => readInstalled(object)),
    at: (path: string) => seen.get(path),
    put,
    patch,
    remove,
    /** Removes the mark of a cluster that was switched off, as it was found. Without the permission it stays, and does nothing. */
    async removeOffMark(): Promise<void> {
      const mark = first?.get(OFF_MARK_PATH);
      if (mark === undefined) return;
      const removing = kube.remove(OFF_MARK_PATH, metadataOf(mark).resourceVersion);
      await removing.catch((error: unknown) => ownError(error, "cluster-denied", "cluster-conflict"));
    },
    /** Throws `cluster-conflict` where another command has made, removed or switched off a webhook configuration since. */
    assertUntouched: async () => assertAllKnown(await lookAtConfigurations(kube)),
    /** Whether these objects are as this command has left them, as one look at the webhook configurations shows. */
    async isUntouched(target: readonly JsonObject[]): Promise<boolean> {
      const now = new Map((await lookAtConfigurations(given)).map((object) => [pathOfObject(object), object]));
      const mark = offMarkOf(now.get(OFF_MARK_PATH));
      if (mark !== undefined && mark !== offMarkOf(first?.get(OFF_MARK_PATH))) return false;
      const watched = target.filter((object) => object["kind"] === CONFIGURATION);
      return watched.every((object) => {
        const path = pathOfObject(object);
        const there = now.get(path);
        const isOwn = there !== undefined && leaseOf(there) === leaseOf(seen.get(path));
        return isOwn && offMarkOf(there) === undefined && changesOf(object, there).length === 0;
      });
    },
    /** Writes back everything, as far as possible, and returns what could not be and why. */
    undo: () => undo(() => true),
    /** Removes what was made and is still as it was written: for a command that another one has overtaken. */
    removeMade: () => undo(({ before }) => before === undefined),
  };
}

function switchedOff(cluster: string, mark: string): OutriggerError {
  const message = `Cannot continue with cluster ${cluster}: injection was switched off in the meantime (outrigger off, ${mark}): it stays off; switch on again with outrigger register --cluster ${cluster}`;
  return new OutriggerError("cluster-conflict", message, { path: cluster });
}

function overtaken(cluster: string, path: string, wasThere: boolean): OutriggerError {
  const [kind, name = path] = path.split("/").slice(-2);
  const message = `Cannot continue with cluster ${cluster}: another command has ${wasThere ? "removed" : "made"} ${kind} ${name} in the meantime; look at it with outrigger check --section registration, and run this again if it is still needed`;
  return new OutriggerError("cluster-conflict", message, { path: name });
}
