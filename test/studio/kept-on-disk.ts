// The unsaved edits that studios keep below a state folder, while they write.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { joinedKept, type KeptDrafts, type KeptEdit } from "@outrigger/studio";

/** The edits of the one directory or deployment of which there are any, the last kept last. */
export function keptOnDisk(state: string): readonly KeptEdit[] {
  const folder = join(state, "drafts");
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  try {
    const all = files.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as KeptDrafts);
    return all.reduce<KeptDrafts | null>(joinedKept, null)?.edits ?? [];
  } catch (error) {
    // A studio has put another file in its place since.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return keptOnDisk(state);
    throw error;
  }
}
