// Writes edited manifests: to standard output or a file as one stream, or into a directory under the names they had.
import { stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { OutriggerError, usageError } from "@outrigger/base";
import { makeFolder } from "../project/make-folder.ts";
import type { Io } from "../terminal/io.ts";
import { inputFault } from "./input-fault.ts";
import { MANIFEST_FILE, type Manifest } from "./read-manifests.ts";

/**
 * @param output a file; a directory, if it is one, ends in a slash, or takes several files and has no file's name; standard output if undefined
 * @param areSeveral whether several were read, although some of them may not be written
 * @throws OutriggerError `manifest-invalid` for what cannot be written
 */
export async function writeManifests(
  manifests: readonly Manifest[],
  output: string | undefined,
  io: Io,
  areSeveral = manifests.length > 1,
): Promise<void> {
  if (output === undefined) return void io.stdout.write(joined(manifests));
  if (!(await isDirectory(output, io)) && (!areSeveral || MANIFEST_FILE.test(output))) {
    return writeText(output, joined(manifests), io);
  }
  const names = manifests.map(({ relative }) => (relative === "-" ? "stdin.yaml" : relative));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw usageError(`Cannot write ${twice} twice to ${output}: two of the files have that name`);
  }
  const folder = output.endsWith("/") ? output.slice(0, -1) : output;
  for (const [index, { text }] of manifests.entries()) await writeText(`${folder}/${names[index]}`, text, io, true);
}

function joined(manifests: readonly Manifest[]): string {
  return manifests
    .map(({ text }, index) => {
      const isLast = index === manifests.length - 1;
      const ended = isLast || text === "" || text.endsWith("\n") ? text : `${text}\n`;
      return index === 0 || /^---(?:\s|$)/.test(text) ? ended : `---\n${ended}`;
    })
    .join("");
}

async function isDirectory(output: string, io: Io): Promise<boolean> {
  if (output.endsWith("/")) return true;
  const found = await stat(resolve(io.cwd, output)).catch(() => undefined);
  return found?.isDirectory() === true;
}

/**
 * @param isBelow whether the directories above the file are made
 * @throws OutriggerError `manifest-invalid`
 */
export async function writeText(filename: string, text: string, io: Io, isBelow = false): Promise<void> {
  try {
    const file = resolve(io.cwd, filename);
    if (isBelow) await makeFolder(dirname(file));
    await writeFile(file, text);
  } catch (cause) {
    const message = `Cannot write ${filename}: ${inputFault(cause)}`;
    throw new OutriggerError("manifest-invalid", message, { path: filename, cause });
  }
}
