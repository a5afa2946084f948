// Reading `source/` where the store may be behind what was written.
import { setTimeout } from "node:timers/promises";
import { type Layout, MAX_NAMES, type ParameterReader } from "@outrigger/aws";
import { OutriggerError, readUntil } from "@outrigger/base";
import { BEHIND } from "../dependencies.ts";
import { treeDigest } from "./push-manifest.ts";
import { readSourceParameters, type SourceReadOptions, type SourceSnapshot } from "./source-parameters.ts";

interface SettledOptions extends SourceReadOptions {
  /**
   * The source as it was when the caller last looked. A path that is missing was deleted, or is not listed yet; a
   * manifest with a lower version was deleted and made again, or is an old reading.
   */
  readonly expected?: { readonly paths: readonly string[]; readonly manifestVersion: number };
  /** The clock of this machine where it is left out. */
  readonly now?: () => Date;
  /** A timer where it is left out. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
}

/** Milliseconds between two readings. */
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
  {
    expected = { paths: [], manifestVersion: 0 },
    now = () => new Date(),
    sleep = setTimeout,
    ...options
  }: SettledOptions = {},
): Promise<SourceSnapshot> {
  const missingIn = ({ versions }: SourceSnapshot) => expected.paths.filter((path) => !Object.hasOwn(versions, path));
  const isSettled = (read: SourceSnapshot) =>
    missingIn(read).length === 0 && read.manifestVersion >= expected.manifestVersion && !mayLack(read, now().getTime());
  const patience = { sleep, pause: AGAIN, tries: 1 + BEHIND / AGAIN };
  const source = await readUntil(() => readSourceParameters(store, layout, options), isSettled, patience);
  const missing = missingIn(source);
  for (let at = 0; at < missing.length; at += MAX_NAMES) {
    const names = missing.slice(at, at + MAX_NAMES).map(layout.sourceParameter);
    if ((await store.getParameters(names, options)).length === 0) continue;
    // It is there and is not listed: nothing that was read can be trusted to be whole.
    const message = `Cannot read ${layout.source}: Parameter Store does not list all that it holds; nothing was changed, run the command again`;
    throw new OutriggerError("tree-changed", message, { path: layout.source });
  }
  return source;
}

/** Whether a push was completed just now whose tree is not the one that was read, and nothing was edited since. */
function mayLack({ tree, manifest, manifestModified = 0, modified }: SourceSnapshot, now: number): boolean {
  if (manifest?.state !== "complete" || now - manifestModified >= BEHIND) return false;
  if (Object.values(modified).some((time) => time > manifestModified)) return false;
  return treeDigest(tree) !== manifest.digest;
}
