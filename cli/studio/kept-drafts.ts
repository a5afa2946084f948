// Unsaved edits, kept on this machine for each directory or deployment: a browser keeps them by address, and the next studio may have
// another port. They are below the tool's own state, named by a digest: never in a tree that is published.
//
// Several studios may write at once, without a lock: a file is never changed. A change writes a new one with all that it found and what it
// adds, and then removes those that it found. The next reader joins what two have written beside each other.

import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OutriggerError } from "@outrigger/base";
import { joinedKept, type KeptDrafts, type Workspace } from "@outrigger/studio";
import { makeFolder } from "../project/make-folder.ts";
import { inTurn } from "../terminal/in-turn.ts";
import { parseDrafts } from "./parse-move.ts";

/** What edits belong to. */
export type DraftsOwner = Pick<Workspace, "kind" | "name" | "place">;

/** Where unsaved edits are kept. */
export interface DraftsStore {
  /** Returns the edits of a directory or deployment; null where none are kept, or they cannot be read. */
  read(of: DraftsOwner): Promise<KeptDrafts | null>;
  /**
   * Keeps what a page has changed. The edits of other pages stay.
   *
   * @returns what is kept now
   * @throws OutriggerError `usage` for more than is kept
   */
  change(of: DraftsOwner, change: KeptDrafts): Promise<KeptDrafts>;
}

/** The most that is kept for one directory or deployment, in bytes. */
const MAX_KEPT = 8 * 1024 * 1024;

const DAY = 24 * 60 * 60 * 1000;

/** How long a file is kept after its last change, in milliseconds: one without edits, one that gives way to newer ones, and any. */
const KEPT_FOR = { withoutEdits: 7 * DAY, atLeast: 30 * DAY, atMost: 180 * DAY } as const;

/** Files beyond these are removed, the oldest first, once they are older than `atLeast`. */
const MOST_FILES = 50;

/** @param directory the tool's state; undefined: nothing is kept */
export function draftsIn(directory: string | undefined): DraftsStore {
  if (directory === undefined) return { read: async () => null, change: async (_, change) => change };
  const folder = join(directory, "drafts");
  let isSwept = false;
  const write = inTurn(async ({ of, change }: { readonly of: DraftsOwner; readonly change: KeptDrafts }) => {
    const name = nameOf(of);
    const before = await readFiles(folder, name);
    const json = JSON.stringify(joinedKept(joined(before), change));
    if (Buffer.byteLength(json) > MAX_KEPT)
      throw new OutriggerError(
        "usage",
        `Cannot keep the edits: they have more than ${MAX_KEPT} bytes; save some first`,
      );
    await makeFolder(folder, 0o700);
    await writeWhole(join(folder, `${name}${randomUUID()}.json`), json);
    await Promise.all(before.map(({ file }) => rm(file, { force: true })));
    if (!isSwept) await sweep(folder, Date.now());
    isSwept = true;
    // With what another studio has written meanwhile.
    return joined(await readFiles(folder, name)) ?? change;
  });
  return {
    read: async (of) => joined(await readFiles(folder, nameOf(of))),
    change: (of, change) => write({ of, change }),
  };
}

/** Removes files that nobody has changed for long. One with edits, which somebody may still want to publish, is kept for a month at least. */
async function sweep(folder: string, now: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => OURS.test(name));
  const files = await Promise.all(names.map((name) => aged(join(folder, name), now)));
  const oldestFirst = files.toSorted((one, other) => other.age - one.age);
  for (const [at, { file, age }] of oldestFirst.entries()) {
    const isBeyond = at < files.length - MOST_FILES && age > KEPT_FOR.atLeast;
    const isOld = age > KEPT_FOR.atMost || (age > KEPT_FOR.withoutEdits && !(await hasEdits(file)));
    if (isBeyond || isOld) await rm(file, { force: true });
  }
}

/** A file of drafts, or one that a studio was writing when it was killed. */
const OURS = /^[0-9a-f]{64}\./;

/** Another studio may remove it meanwhile: then it is no longer old. */
async function aged(file: string, now: number) {
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: now }));
  return { file, age: now - mtimeMs };
}

/** A file that cannot be read has none that a page finds. */
async function hasEdits(file: string): Promise<boolean> {
  const kept = await readKept(file);
  return kept !== null && (kept.edits.length > 0 || kept.text !== "");
}

/** What a studio has written; null where that is damaged. */
interface KeptFile {
  readonly file: string;
  readonly kept: KeptDrafts | null;
}

/** How often a folder is read again because another studio has replaced a file meanwhile, until what was read is taken. */
const MOST_READINGS = 100;

/** Reads what is kept of one owner: one file, and those that were written beside it. */
async function readFiles(folder: string, name: string): Promise<readonly KeptFile[]> {
  let found: readonly (KeptFile | undefined)[] = [];
  for (let reading = 0; reading < MOST_READINGS; reading += 1) {
    const all = await readdir(folder).catch(() => []);
    const files = all.filter((file) => file.startsWith(name) && file.endsWith(".json")).sort();
    found = await Promise.all(files.map((file) => readFound(join(folder, file))));
    if (!found.includes(undefined)) break;
  }
  return found.flatMap((each) => each ?? []);
}

/** Undefined where the file has been replaced since it was found. */
async function readFound(file: string): Promise<KeptFile | undefined> {
  const kept = await readKept(file);
  return kept === null && !existsSync(file) ? undefined : { file, kept };
}

async function readKept(file: string): Promise<KeptDrafts | null> {
  try {
    return parseDrafts(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return null;
  }
}

function joined(files: readonly KeptFile[]): KeptDrafts | null {
  return files.reduce<KeptDrafts | null>((all, { kept }) => (kept === null ? all : joinedKept(all, kept)), null);
}

/** The beginning of the names of an owner's files: no part of its name is a part of a path. */
function nameOf({ kind, name, place = "" }: DraftsOwner): string {
  const digest = createHash("sha256").update(JSON.stringify([kind, name, place]));
  return `${digest.digest("hex")}.`;
}

/** Writes a new file: a reader finds all of it or nothing. */
async function writeWhole(file: string, text: string): Promise<void> {
  const half = `${file}.half`;
  try {
    await writeFile(half, text, { mode: 0o600 });
    await rename(half, file);
  } finally {
    await rm(half, { force: true });
  }
}
