// Restoring one object to how it was before a command wrote to it. What another command has signed or switched off since is left.
import {
  defined,
  type ErrorCode,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  OutriggerError,
  objectOf,
} from "@outrigger/base";
import { findDrift, ownAnnotations } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { versionOf } from "../kube/resource-version.ts";
import { offMarkOf } from "../objects/baseline.ts";
import { asNew, canReject, lenient } from "../objects/own-objects.ts";

export interface Entry {
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

const TRIES = 5;
const MAY_PASS: readonly ErrorCode[] = ["cluster-conflict", "cluster-unreachable", "cluster-webhook-failed"];

/** Why an object could not be restored; undefined where it was. */
export async function restore(undoing: Undoing, path: string, { before, written }: Entry): Promise<string | undefined> {
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
async function makeAgain({ kube, assertHeld }: Undoing, path: string, before: JsonObject): Promise<string | undefined> {
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

const SERVER_FIELDS = ["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"];

/** An object as it can be created again. */
function withoutServerFields(object: JsonObject): JsonObject {
  const metadata = Object.entries(object["metadata"] as JsonObject).filter(([key]) => !SERVER_FIELDS.includes(key));
  return { ...object, metadata: Object.fromEntries(metadata) as JsonObject };
}

export function isNewlyOff(before: JsonObject | undefined, there: JsonObject): boolean {
  const mark = offMarkOf(there);
  return mark !== undefined && mark !== (before && offMarkOf(before));
}
