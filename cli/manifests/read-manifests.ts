// Reads the manifests that -f names as kubectl does: files, standard input, directories and patterns, in any number.
import { readdir, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { OutriggerError, usageError } from "@outrigger/base";
import { type OptionsOf, optionTable } from "../options/option.ts";
import type { Io } from "../terminal/io.ts";
import { inputFault, isUrl, urlName } from "./input-fault.ts";
import { assertRendered, inputName, readInput } from "./read-input.ts";

/** The options that name manifests, and those of kubectl that people try: not in the help, and with the way that works here. */
export const manifestOptions = optionTable({
  filename: {
    short: "-f",
    argument: "<file>",
    about: "a manifest, a URL, a directory or a pattern; - reads standard input; several with commas, or give it again",
    isRepeatable: true,
    isRequired: true,
  },
  recursive: { short: "-R", about: "read directories with all that is below them" },
  kustomize: {
    short: "-k",
    argument: "<dir>",
    about: "",
    isHidden: true,
    parse: elsewhere("--kustomize", "render it first: kubectl kustomize VALUE | outrigger inject -f -"),
  },
  selector: {
    short: "-l",
    argument: "<selector>",
    about: "",
    isHidden: true,
    parse: elsewhere("--selector", "let kubectl select: outrigger inject -f FILE | kubectl apply -l VALUE -f -"),
  },
});

type ManifestOptions = Pick<OptionsOf<typeof manifestOptions>, "filename" | "recursive">;

function elsewhere(option: string, wayOut: string) {
  return (value: string): never => {
    throw usageError(`Cannot use ${option} here: ${wayOut.replace("VALUE", () => value)}`);
  };
}

export interface Manifest {
  /** The name in messages: a file, or `standard input`. */
  readonly source: string;
  /** The file below the directory that was named, or its own name; `-` for standard input. */
  readonly relative: string;
  readonly text: string;
}

/** @throws OutriggerError `manifest-invalid` or `usage`, naming the file and why */
export async function readManifests({ filename, recursive }: ManifestOptions, io: Io): Promise<readonly Manifest[]> {
  if (filename.flatMap((name) => name.split(",")).filter((name) => name === "-").length > 1)
    throw usageError("Cannot read standard input twice: give -f - once");
  const files: Found[] = [];
  for (const name of filename)
    for (const part of await namesOf(name, io)) files.push(...(await findFiles(part, recursive === true, io)));
  const manifests: Manifest[] = [];
  // One after the other: a directory may hold more files than a process may open.
  for (const { file, relative } of files) {
    const text = await readInput(file, io);
    const source = inputName(file);
    assertRendered(text, source);
    manifests.push({ source, relative, text });
  }
  return manifests;
}

type Found = Pick<Manifest, "relative"> & { readonly file: string };

/** Returns the files that -f names. kubectl splits at commas; a file whose own name has one is that file. */
export async function namesOf(name: string, io: Io): Promise<readonly string[]> {
  if ((await statOf(name, io)) !== undefined) return [name];
  return name.split(",").filter((part) => part !== "");
}

function statOf(name: string, io: Io) {
  return stat(resolve(io.cwd, name)).catch(() => undefined);
}

export const MANIFEST_FILE = /\.(?:json|ya?ml)$/;

async function findFiles(name: string, isRecursive: boolean, io: Io): Promise<readonly Found[]> {
  if (name === "-") return [{ file: name, relative: name }];
  if (isUrl(name)) return [{ file: name, relative: baseName(urlName(name)) }];
  const place = await statOf(name, io);
  if (place === undefined && /[*?[]/.test(name)) return matchingFiles(name, io);
  if (place?.isDirectory() !== true) return [{ file: name, relative: baseName(name) }];
  const files = (await filesBelow(name, isRecursive, io)).filter((file) => MANIFEST_FILE.test(file));
  if (files.length === 0) {
    const hint = isRecursive ? "" : "; -R reads the directories below it too";
    const message = `Cannot find a .yaml, .yml or .json file in ${name}${hint}`;
    throw new OutriggerError("manifest-invalid", message, { path: name });
  }
  const folder = name.endsWith("/") ? name.slice(0, -1) : name;
  return files.map((relative) => ({ file: `${folder}/${relative}`, relative }));
}

/** Lists the files of a folder in the order of their names, as kubectl applies them. */
async function filesBelow(folder: string, isRecursive: boolean, io: Io): Promise<readonly string[]> {
  try {
    const root = resolve(io.cwd, folder);
    const entries = await readdir(root, { withFileTypes: true, recursive: isRecursive });
    const files = entries.filter((entry) => !entry.isDirectory());
    return files.map((file) => relative(root, join(file.parentPath, file.name)).replaceAll("\\", "/")).sort();
  } catch (cause) {
    throw new OutriggerError("manifest-invalid", `Cannot read ${folder}: ${inputFault(cause)}`, {
      path: folder,
      cause,
    });
  }
}

/** Patterns that the shell did not expand, because it was quoted. They match within one directory. */
async function matchingFiles(pattern: string, io: Io): Promise<readonly Found[]> {
  const slash = pattern.lastIndexOf("/");
  const folder = slash === -1 ? "." : pattern.slice(0, slash) || "/";
  const matcher = globPattern(pattern.slice(slash + 1));
  const names = (await filesBelow(folder, false, io)).filter((name) => matcher.test(name));
  if (names.length === 0) {
    throw new OutriggerError("manifest-invalid", `Cannot find a file that matches ${pattern}`, { path: pattern });
  }
  return names.map((name) => ({ file: slash === -1 ? name : `${pattern.slice(0, slash)}/${name}`, relative: name }));
}

/** Reads a pattern as Go's filepath.Match does: a star, a question mark, a set of characters. */
function globPattern(glob: string): RegExp {
  const source = glob.replace(/\*|\?|\[\^?[^\][]{1,99}\]|[\s\S]/g, (part) => {
    if (part === "*") return "[^/]*";
    if (part === "?") return "[^/]";
    return part.length > 1 ? part.replaceAll("\\", "\\\\") : part.replace(/[\\^$.|+()[\]{}]/, "\\$&");
  });
  return new RegExp(`^${source}$`);
}

function baseName(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}
