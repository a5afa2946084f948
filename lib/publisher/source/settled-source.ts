// Reading `source/` while readings are behind writes: a listing may lack a parameter that was created a moment ago, and then
// looks like a deletion, or like a tree that was never stored.
import { setTimeout } from "node:timers/promises";
import type { Layout } from "@outrigger/aws";
import { MAX_NAMES, type ParameterReader } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import { readSourceParameters, type SourceReadOptions, type SourceSnapshot } from "./source-parameters.ts";
import { treeDigest } from "./tree-digest.ts";

/** What was there when the caller last looked. */
export interface Expected {
  /** One that is missing was deleted, or is not listed yet. */
  readonly paths: readonly string[];
  /** One with a lower version was deleted and made again, or is an old reading. */
  readonly manifestVersion: number;
}

export interface SettledOptions extends SourceReadOptions {
  readonly expected?: Expected;
  /** Milliseconds since 1970; the clock of this machine where it is left out. */
  readonly now?: () => number;
  /** A timer where it is left out. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
}

/** Milliseconds by which readings may be behind writes, at most, and between two readings. */
const BEHIND = 3000;
const AGAIN = 250;

/**
 * Reads the tree, and again for as long as it may be behind what was written:
 *
 * | the reading                                                        | is                            |
 * |--------------------------------------------------------------------|-------------------------------|
 * | lacks what the caller has seen there, or has an earlier manifest   | read again, for 3 s at most   |
 * | is not the tree that a push completed less than 3 s ago, and holds no edit after it | the same     |
 * | anything else                                                      | what is stored               |
 *
 * What is still missing then was deleted.
 *
 * @throws OutriggerError as readSourceParameters() does, and `tree-changed` where the store gives by name what it does not list
 */
export async function readSettledSource(
  store: ParameterReader,
  layout: Layout,
  { expected = NOTHING, now = Date.now, sleep = setTimeout, ...options }: SettledOptions = {},
): Promise<SourceSnapshot> {
  for (let waited = 0; ; waited += AGAIN) {
    const source = await readSourceParameters(store, layout, options);
    const missing = expected.paths.filter((path) => !Object.hasOwn(source.versions, path));
    const isOld = source.manifestVersion < expected.manifestVersion;
    if (waited >= BEHIND || (missing.length === 0 && !isOld && !mayLack(source, now()))) {
      return missing.length === 0 ? source : unlessListed(source, missing, { store, layout, options });
    }
    await sleep(AGAIN);
  }
}

const NOTHING: Expected = { paths: [], manifestVersion: 0 };

/** Whether a push was completed just now whose tree is not the one that was read, and nothing was edited since. */
function mayLack({ tree, manifest, manifestModified = 0, modified }: SourceSnapshot, now: number): boolean {
  if (manifest?.state !== "complete" || now - manifestModified >= BEHIND) return false;
  if (Object.values(modified).some((time) => time > manifestModified)) return false;
  return treeDigest(tree) !== manifest.digest;
}

interface Access {
  readonly store: ParameterReader;
  readonly layout: Layout;
  readonly options: SourceReadOptions;
}

/** @throws OutriggerError `tree-changed` where the store gives by name what it does not list */
async function unlessListed(source: SourceSnapshot, missing: readonly string[], { store, layout, options }: Access) {
  for (let at = 0; at < missing.length; at += MAX_NAMES) {
    const names = missing.slice(at, at + MAX_NAMES).map(layout.sourceParameter);
    if ((await store.getParameters(names, options)).length === 0) continue;
    // It is there and is not listed: nothing that was read can be trusted to be whole.
    throw unlisted(layout);
  }
  return source;
}

function unlisted(layout: Layout): OutriggerError {
  return new OutriggerError(
    "tree-changed",
    `Cannot read ${layout.source}: Parameter Store does not list all that it holds; nothing was changed, run the command again`,
    { path: layout.source },
  );
}
