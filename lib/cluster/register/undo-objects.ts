// Restoring objects to how they were before a command wrote to them. What another command has signed or switched off since is left.
import type { ErrorCode, JsonObject, JsonValue } from "@outrigger/base";
import { defined, isObject, jsonEqual, objectOf, ownError } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import { findDrift, objectKeys } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { asNew, canReject, leaseOf, lenient, offMarkOf } from "../objects/own-objects.ts";

export interface Entry {
  /** The object as it was read before the first write. */
  readonly before: JsonObject | undefined;
  /** The object as each write left it, the last first; null for a removal. What was sent counts too: it may have arrived or not. */
  readonly written: readonly (JsonObject | null)[];
}

export interface Undoing {
  /** Continues when the command is stopped. */
  readonly kube: KubeClient;
  /** The lease by which the command signs. */
  readonly lease: string;
  /** Throws where another command has the cluster now. */
  readonly assertHeld: () => Promise<void>;
}

export type Entries = readonly (readonly [path: string, entry: Entry])[];

/** Restores everything, as far as possible, the last first, and returns what could not be restored and why. */
export async function undoAll(undoing: Undoing, entries: Entries): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [path, entry] of (await withoutOverruled(undoing.kube, entries)).toReversed()) {
    const problem = await restore(undoing, path, entry);
    if (problem !== undefined) problems.push(`${path.split("/").slice(-2).join(" ")}: ${problem}`);
  }
  return problems;
}

/**
 * Leaves out removed objects if another command has removed or switched off the rest since: they are not made again.
 */
async function withoutOverruled(kube: KubeClient, entries: Entries): Promise<Entries> {
  const isRemoved = ([, { written }]: Entries[number]) => written[0] === null;
  if (!entries.some(isRemoved)) return entries;
  for (const [path, entry] of entries) {
    if (isRemoved([path, entry]) || entry.before === undefined) continue;
    const there = await kube.get(path).catch(() => undefined);
    if (there === undefined || isNewlyOff(entry.before, there)) return entries.filter((one) => !isRemoved(one));
  }
  return entries;
}

const TRIES = 5;
const MAY_PASS: readonly ErrorCode[] = ["cluster-conflict", "cluster-unreachable", "cluster-webhook-failed"];

/** The reason why an object could not be restored; undefined where it was. */
async function restore(undoing: Undoing, path: string, entry: Entry): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await restoreOnce(undoing, path, entry);
    } catch (error) {
      const { code, message } = ownError(error);
      if (!MAY_PASS.includes(code) || attempt === TRIES) return message;
    }
  }
}

async function restoreOnce(undoing: Undoing, path: string, { before, written }: Entry): Promise<string | undefined> {
  const { kube, lease } = undoing;
  const there = await kube.get(path);
  if (there === undefined) {
    // Another command may have removed it; what this one removed is made again.
    return before !== undefined && written.includes(null) ? makeAgain(undoing, path, before) : undefined;
  }
  if (isNewlyOff(before, there)) return SWITCHED_OFF;
  const signature = leaseOf(there);
  // Where nothing has arrived, the signature is the one that was found.
  if (signature !== lease && (before === undefined || signature !== leaseOf(before))) return CHANGED;
  if (before === undefined) {
    if (!written.some((one) => one !== null && isAsWritten(one, there))) return CHANGED;
    await kube.remove(path, metadataOf(there).resourceVersion);
    return undefined;
  }
  const ours = written.filter((one) => one !== null);
  const restored = threeWay(before, ours, there);
  if (!jsonEqual(restored, there)) await kube.replace(path, restored);
  return isAsWritten(before, restored) ? undefined : CHANGED;
}

/** Nothing keeps a creation back that comes late: it rejects nothing before it is known that no other command has the cluster. */
async function makeAgain({ kube, assertHeld }: Undoing, path: string, before: JsonObject): Promise<string | undefined> {
  const object = withoutServerFields(before);
  const made = await kube.apply(path, asNew(lenient(object)), { force: false });
  try {
    await assertHeld();
  } catch (error) {
    await kube.remove(path, metadataOf(made).resourceVersion);
    throw error;
  }
  const { resourceVersion } = made["metadata"] as JsonObject;
  const metadata = { ...(object["metadata"] as JsonObject), ...defined({ resourceVersion }) };
  if (canReject(object)) await kube.replace(path, { ...object, metadata });
  return undefined;
}

const SWITCHED_OFF = "it was switched off in the meantime: it stays off";
const CHANGED = "another command has changed it in the meantime: it is left as it is";

/** The object in the cluster, with `before` wherever it is as it was written. */
function threeWay(before: JsonObject, written: readonly JsonObject[], there: JsonObject): JsonObject {
  const restored = Object.fromEntries(
    Object.entries(there).map(([key, value]) => {
      if (key === "metadata") return [key, restoredMetadata(before, written, there)];
      const at = (found: JsonObject["key"]) => ({ [key]: found }) as JsonObject;
      const isOurs = written.some((one) => isAsWritten(at(one[key]), at(value)));
      return [key, isOurs && before[key] !== undefined ? before[key] : value];
    }),
  );
  return restored as JsonObject;
}

function restoredMetadata(before: JsonObject, written: readonly JsonObject[], there: JsonObject): JsonObject {
  const { managedFields: _, ...metadata } = there["metadata"] as JsonObject;
  const annotations = new Map(Object.entries(metadataOf(there).annotations));
  for (const key of [objectKeys.settings, objectKeys.off]) {
    const old = metadataOf(before).annotations[key];
    if (!written.some((one) => metadataOf(one).annotations[key] === annotations.get(key))) continue;
    if (old === undefined) annotations.delete(key);
    else annotations.set(key, old);
  }
  const labels = { ...metadataOf(there).labels, ...metadataOf(before).labels };
  return { ...metadata, labels, annotations: Object.fromEntries(annotations) } as JsonObject;
}

function isAsWritten(written: JsonObject, there: JsonObject): boolean {
  return jsonEqual(written, there) || findDrift(contentOf(written), contentOf(there)).length === 0;
}

function contentOf({ metadata: _, ...content }: JsonObject): JsonObject {
  return content;
}

const SERVER_FIELDS = ["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"];

function withoutServerFields(object: JsonObject): JsonObject {
  const metadata = Object.entries(object["metadata"] as JsonObject).filter(([key]) => !SERVER_FIELDS.includes(key));
  return { ...object, metadata: Object.fromEntries(metadata) as JsonObject };
}

function isNewlyOff(before: JsonObject | undefined, there: JsonObject): boolean {
  const mark = offMarkOf(there);
  return mark !== undefined && mark !== offMarkOf(before);
}

/** RFC 7386. */
export function mergedPatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const merged = new Map<string, JsonValue>(Object.entries(objectOf(target)) as [string, JsonValue][]);
  for (const [key, value] of Object.entries(patch) as [string, JsonValue][]) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergedPatch(merged.get(key), value));
  }
  return Object.fromEntries(merged) as JsonObject;
}
