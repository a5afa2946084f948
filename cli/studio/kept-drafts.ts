// Unsaved edits, kept on this machine for each directory or deployment: a browser keeps them by address, and the next studio may have
// another port. One file each, named by a digest, below the tool's own state: never in a tree that is published.

import { createHash, randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OutriggerError } from "@outrigger/base";
import type { DraftsChange, Edit, KeptDrafts, Workspace } from "@outrigger/studio";
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
   * @throws OutriggerError `usage` for more than is kept
   */
  change(of: DraftsOwner, change: DraftsChange): Promise<void>;
}

/** The most that is kept for one directory or deployment, in bytes. */
const MAX_KEPT = 8 * 1024 * 1024;

/** @param directory the tool's state; undefined: nothing is kept */
export function draftsIn(directory: string | undefined): DraftsStore {
  if (directory === undefined) return { read: async () => null, change: async () => {} };
  const folder = join(directory, "drafts");
  const write = inTurn(async ({ of, change }: { readonly of: DraftsOwner; readonly change: DraftsChange }) => {
    const { edits, gone, text, at } = change;
    const isChanged = ({ path, text: was }: Edit) =>
      edits.some((edit) => edit.path === path) || gone.some((edit) => edit.path === path && edit.text === was);
    const others = ((await readKept(folder, of))?.edits ?? []).filter((edit) => !isChanged(edit));
    const kept: KeptDrafts = { edits: [...others, ...edits], text, at };
    const json = JSON.stringify(kept);
    if (Buffer.byteLength(json) > MAX_KEPT)
      throw new OutriggerError(
        "usage",
        `Cannot keep the edits: they have more than ${MAX_KEPT} bytes; save some first`,
      );
    await makeFolder(folder, 0o700);
    await replaceFile(fileOf(folder, of), json);
  });
  return { read: (of) => readKept(folder, of), change: (of, change) => write({ of, change }) };
}

async function readKept(folder: string, of: DraftsOwner): Promise<KeptDrafts | null> {
  try {
    const value: unknown = JSON.parse(await readFile(fileOf(folder, of), "utf8"));
    const { gone: _none, ...kept } = parseDrafts(value);
    return kept;
  } catch {
    return null;
  }
}

/** No part of a name is a part of the path. */
function fileOf(folder: string, { kind, name, place = "" }: DraftsOwner): string {
  const digest = createHash("sha256").update(JSON.stringify([kind, name, place]));
  return join(folder, `${digest.digest("hex")}.json`);
}

async function replaceFile(file: string, text: string): Promise<void> {
  const fresh = `${file}.${randomUUID()}`;
  try {
    await writeFile(fresh, text, { mode: 0o600 });
    await rename(fresh, file);
  } finally {
    await rm(fresh, { force: true });
  }
}
