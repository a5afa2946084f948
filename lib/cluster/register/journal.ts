// Undoing writes to a cluster: remembers each object as it was read before the first write, and restores exactly that.
// What another command has changed in the meantime is left as it is.
import { isObject, type JsonObject, type JsonValue, objectOf } from "@outrigger/base";
import type { KubeClient } from "../kube/kube-client.ts";
import { type Entry, isNewlyOff, restore, type Undoing } from "./restore-object.ts";

export interface Journal {
  /** A client whose writes are remembered. */
  readonly kube: KubeClient;
  /** Restores everything, as far as possible, and returns what could not be restored and why. */
  readonly undo: () => Promise<readonly string[]>;
  /** Removes what was made and is still as it was written: for a command that another one has overtaken. */
  readonly removeMade: () => Promise<readonly string[]>;
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
