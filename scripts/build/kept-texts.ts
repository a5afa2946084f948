// Texts that are made of files of the project, kept from one process to the next: to compile the shipped release takes seconds of a
// processor, and each build and each run of tests needs it. They are found by a digest of all that they are made of.
import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Milliseconds after which texts are removed that nobody made again. */
const OLD = 24 * 60 * 60_000;

export type Texts = Readonly<Record<string, string>>;

/**
 * Returns the texts that were made of the same files by the same version of Node.js, or makes them.
 *
 * @param folder where they are kept, one file for each digest. Where it cannot be written, they are made each time
 * @param digest of all that they are made of
 */
export async function keptTexts(folder: string, digest: string, make: () => Promise<Texts>): Promise<Texts> {
  const file = join(folder, `${digest}.json`);
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Texts;
  } catch {
    // Not kept yet, or damaged.
  }
  const texts = await make();
  try {
    mkdirSync(folder, { recursive: true });
    // In one step: other processes read it meanwhile.
    const draft = join(folder, `${randomUUID()}.draft`);
    writeFileSync(draft, JSON.stringify(texts));
    renameSync(draft, file);
    for (const name of readdirSync(folder))
      if (Date.now() - statSync(join(folder, name)).mtimeMs > OLD) rmSync(join(folder, name), { force: true });
  } catch {
    // What is not kept costs time, and nothing else.
  }
  return texts;
}

/** Returns a digest of files, and of all files in folders, with their paths below the root, and of the version of Node.js. Tests are left out. */
export function digestOf(root: string, places: readonly string[]): string {
  const hash = createHash("sha256").update(process.version);
  for (const place of places) {
    const path = join(root, place);
    const files = statSync(path).isFile()
      ? [path]
      : readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
          .map((entry) => join(entry.parentPath, entry.name))
          .toSorted();
    for (const file of files) {
      const bytes = readFileSync(file);
      hash.update(`\n${relative(root, file).split(sep).join("/")} ${bytes.length}\n`).update(bytes);
    }
  }
  return hash.digest("hex");
}
