// Undoing writes to a cluster: remembers each object as it was read before the first write, and restores exactly that.
// What another command has changed in the meantime is left as it is.
import {
  defined,
  type ErrorCode,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  OutriggerError,
  objectOf,
} from "@outrigger/base";
import { findDrift, ownAnnotations } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { offMarkOf } from "../objects/baseline.ts";
import { asNew, canReject, lenient } from "../objects/own-objects.ts";

export interface Journal {
  /** A client whose writes are remembered. */
  readonly kube: KubeClient;
  /** Restores everything, as far as possible, and returns what could not be restored and why. */
  readonly undo: () => Promise<readonly string[]>;
  /** Removes what was made and is still as it was written: for a command that another one has overtaken. */
  readonly removeMade: () => Promise<readonly string[]>;
}

interface Entry {
  /** As it was read before the first write. */
  readonly before: JsonObject | undefined;
  /** As each write left it, the last first; null for a removal. What was sent counts too: it may have arrived or not. */
  readonly written: readonly (JsonObject | null)[];
}

/** How a journal undoes. */
export interface Undoing {
  /** Goes on when the command is stopped. */
  readonly kube: KubeClient;
  /** Whether no other command has signed the object since. */
  readonly isOwn: (object: JsonObject) => boolean;
  /** Throws where another command has the cluster now. */
  readonly assertHeld: () => Promise<void>;
}

export function openJournal(kube: KubeClient, undoing: Undoing): Journal {
  const entries = new Map<string, Entry>();

  async function write<Result>(
    path: string,
    sent: (before: JsonObject | undefined) => JsonObject | null,
    send: () => Promise<Result>,
    answered: (result: Result) => JsonObject | null | undefined,
  ): Promise<Result> {
    const known = entries.get(path);
    const before = known === undefined ? await kube.get(path) : known.before;
    const earlier = known?.written ?? [];
    const written = [sent(earlier[0] ?? before), ...earlier];
    entries.set(path, { before, written });
    const result = await send();
    const answer = answered(result);
    if (answer !== undefined) entries.set(path, { before, written: [answer, ...written] });
    return result;
  }

  return {
    kube: {
      ...kube,
      apply: (path, object, options) =>
        write(
          path,
          () => object,
          () => kube.apply(path, object, options),
          (applied) => applied,
        ),
      replace: (path, object) =>
        write(
          path,
          () => object,
          () => kube.replace(path, object),
          (replaced) => replaced,
        ),
      mergePatch: (path, patch, options) =>
        write(
          path,
          (before) => mergedPatch(before ?? {}, patch) as JsonObject,
          () => kube.mergePatch(path, patch, options),
          (patched) => patched,
        ),
      remove: (path, version) =>
        write(
          path,
          () => null,
          () => kube.remove(path, version),
          () => null,
        ),
    },
    undo: async () => restoreAll(undoing, await withoutOverruled(undoing.kube, [...entries])),
    removeMade: () =>
      restoreAll(
        undoing,
        [...entries].filter(([, { before }]) => before === undefined),
      ),
  };
}

/** What was removed is not made again where another command has removed or switched off the rest since. */
async function withoutOverruled(
  kube: KubeClient,
  entries: readonly (readonly [path: string, entry: Entry])[],
): Promise<typeof entries> {
  if (!entries.some(isRemoved)) return entries;
  for (const [path, entry] of entries) {
    if (isRemoved([path, entry]) || entry.before === undefined) continue;
    const there = await kube.get(path).catch(() => undefined);
    if (there === undefined || isNewlyOff(entry.before, there)) return entries.filter((one) => !isRemoved(one));
  }
  return entries;
}

function isRemoved([, { written }]: readonly [path: string, entry: Entry]): boolean {
  return written[0] === null;
}

function isNewlyOff(before: JsonObject | undefined, there: JsonObject): boolean {
  const mark = offMarkOf(there);
  return mark !== undefined && mark !== (before && offMarkOf(before));
}

async function restoreAll(
  undoing: Undoing,
  entries: readonly (readonly [path: string, entry: Entry])[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [path, entry] of [...entries].reverse()) {
    const problem = await restore(undoing, path, entry);
    if (problem !== undefined) problems.push(`${path.split("/").slice(-2).join(" ")}: ${problem}`);
  }
  return problems;
}

const TRIES = 5;
const MAY_PASS: readonly ErrorCode[] = ["cluster-conflict", "cluster-unreachable", "cluster-webhook-failed"];

/** Why an object could not be restored; undefined where it was. */
async function restore(undoing: Undoing, path: string, { before, written }: Entry): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await restoreOnce(undoing, path, before, written);
    } catch (error) {
      if (!(error instanceof OutriggerError)) throw error;
      if (!MAY_PASS.includes(error.code) || attempt === TRIES) return error.message;
    }
  }
}

async function restoreOnce(
  undoing: Undoing,
  path: string,
  before: JsonObject | undefined,
  written: Entry["written"],
): Promise<string | undefined> {
  const { kube, isOwn } = undoing;
  const there = await kube.get(path);
  if (there === undefined) {
    // Another command may have removed it; what this one removed is made again.
    return before !== undefined && written.includes(null) ? makeAgain(undoing, path, before) : undefined;
  }
  if (isNewlyOff(before, there)) return SWITCHED_OFF;
  if (!isOwn(there)) return CHANGED;
  if (before === undefined) {
    if (!written.some((one) => one !== null && isAsWritten(one, there))) return CHANGED;
    await kube.remove(path, versionOf(there));
    return undefined;
  }
  const ours = written.filter((one) => one !== null);
  const restored = threeWay(before, ours, there);
  if (!jsonEqual(restored, there)) await kube.replace(path, restored);
  return isContentOf(before, restored) ? undefined : CHANGED;
}

/** Nothing keeps a creation back that comes late: it rejects nothing before it is known that no other command has the cluster. */
async function makeAgain(
  { kube, assertHeld }: Undoing,
  path: string,
  before: JsonObject,
): Promise<string | undefined> {
  const object = withoutServerFields(before);
  const made = await kube.apply(path, asNew(lenient(object)), { force: false });
  try {
    await assertHeld();
  } catch (error) {
    await kube.remove(path, versionOf(made));
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
      const isOurs = written.some((one) =>
        isAsWritten({ [key]: one[key] } as JsonObject, { [key]: value } as JsonObject),
      );
      return [key, isOurs && before[key] !== undefined ? before[key] : value];
    }),
  );
  return restored as JsonObject;
}

function restoredMetadata(before: JsonObject, written: readonly JsonObject[], there: JsonObject): JsonObject {
  const { managedFields: _, ...metadata } = there["metadata"] as JsonObject;
  const annotations = new Map(Object.entries(annotationsOf(there)));
  for (const key of [ownAnnotations.settings, ownAnnotations.off]) {
    const old = annotationsOf(before)[key];
    if (!written.some((one) => annotationsOf(one)[key] === annotations.get(key))) continue;
    if (old === undefined) annotations.delete(key);
    else annotations.set(key, old);
  }
  const labels = { ...labelsOf(there), ...labelsOf(before) };
  return { ...metadata, labels, annotations: Object.fromEntries(annotations) } as JsonObject;
}

function isAsWritten(written: JsonObject, there: JsonObject): boolean {
  return jsonEqual(written, there) || findDrift(contentOf(written), contentOf(there)).length === 0;
}

function isContentOf(before: JsonObject, restored: JsonObject): boolean {
  return findDrift(contentOf(before), contentOf(restored)).length === 0;
}

function contentOf({ metadata: _, ...content }: JsonObject): JsonObject {
  return content;
}

function annotationsOf(object: JsonObject): Readonly<Record<string, JsonValue>> {
  const { annotations } = objectOf(object["metadata"]);
  return objectOf(annotations) as Readonly<Record<string, JsonValue>>;
}

function labelsOf(object: JsonObject): JsonObject {
  const { labels } = objectOf(object["metadata"]);
  return objectOf(labels);
}

function versionOf({ metadata }: JsonObject): string | undefined {
  const version = isObject(metadata) ? metadata["resourceVersion"] : undefined;
  return typeof version === "string" ? version : undefined;
}

const SERVER_FIELDS = ["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"];

/** An object as it can be created again. */
function withoutServerFields(object: JsonObject): JsonObject {
  const metadata = Object.entries(object["metadata"] as JsonObject).filter(([key]) => !SERVER_FIELDS.includes(key));
  return { ...object, metadata: Object.fromEntries(metadata) as JsonObject };
}

/** RFC 7386. */
function mergedPatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const merged = new Map<string, JsonValue>(Object.entries(objectOf(target)) as [string, JsonValue][]);
  for (const [key, value] of Object.entries(patch) as [string, JsonValue][]) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergedPatch(merged.get(key), value));
  }
  return Object.fromEntries(merged) as JsonObject;
}
