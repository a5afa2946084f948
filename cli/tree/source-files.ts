// The writing of a source tree into a directory, one file an entry, each put in place in one step. What is in the
// directory already is not trusted: no link leads a write out of it.
import { randomUUID } from "node:crypto";
import { lstat, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OutriggerError } from "@outrigger/base";
import { checkSourcePath, type SourceTree } from "@outrigger/injector";
import { inputFault } from "../manifests/input-fault.ts";
import { makeFolder } from "../project/make-folder.ts";
import { textAt } from "./three-way.ts";

/** `config` → `config.yaml`, `templates/sidecar` → `templates/sidecar.hbs`. */
export function sourceFile(path: string): string {
  return /^(releases\/[^/]+\/)?(templates|partials)\//.test(path) ? `${path}.hbs` : `${path}.yaml`;
}

/**
 * Writes the entries of `tree` at `paths`, and removes the files of those that it has not.
 *
 * @param directory is made where there is none
 * @throws OutriggerError `tree-invalid`, naming the file
 */
export async function writeSourceFiles(directory: string, tree: SourceTree, paths: readonly string[]): Promise<void> {
  for (const path of paths) checkSourcePath(path);
  await makeFolder(directory).catch((cause) => {
    throw failed("make", directory, cause);
  });
  for (const path of paths) {
    const text = textAt(tree, path);
    const file = await existingFile(directory, path);
    if (text === undefined) await remove(directory, file);
    else await writeFileInPlace(directory, file, text);
  }
}

/**
 * Writes a temporary file and renames it: a reader sees the old file or the new one, and a link is replaced, not followed.
 *
 * @param file relative to the directory
 */
export async function writeFileInPlace(directory: string, file: string, text: string): Promise<void> {
  const target = join(directory, file);
  const folder = dirname(target);
  try {
    await makeFolder(folder);
    await assertInside(directory, folder);
    // Begins with a dot: readers of the tree ignore it.
    const draft = join(folder, `.${randomUUID()}`);
    try {
      await writeFile(draft, text, { flag: "wx" });
      await rename(draft, target);
    } catch (cause) {
      // What failed first is what is reported.
      await rm(draft).catch(() => undefined);
      throw cause;
    }
  } catch (cause) {
    throw failed("write", target, cause);
  }
}

async function remove(directory: string, file: string): Promise<void> {
  const target = join(directory, file);
  try {
    if (!(await isThere(target))) return;
    await assertInside(directory, dirname(target));
    await rm(target);
  } catch (cause) {
    throw failed("remove", target, cause);
  }
}

/** A file that people named `.yml` keeps its name. */
async function existingFile(directory: string, path: string): Promise<string> {
  const file = sourceFile(path);
  const other = file.replace(/\.yaml$/, ".yml");
  return other !== file && (await isThere(join(directory, other))) ? other : file;
}

/** A link counts, wherever it leads. */
export function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

async function assertInside(directory: string, folder: string): Promise<void> {
  const root = await realpath(directory);
  const real = await realpath(folder);
  if (real === root || dirname(real) === root) return;
  throw failed("write to", folder, undefined, "it is a link to a place outside the tree; put a folder there instead");
}

function failed(verb: string, file: string, cause: unknown, why?: string): OutriggerError {
  if (cause instanceof OutriggerError) return cause;
  const message = `Cannot ${verb} ${file}: ${why ?? inputFault(cause)}`;
  return new OutriggerError("tree-invalid", message, { path: file, cause });
}
