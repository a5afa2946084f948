// The reading of a source tree from a directory: the same tree that Parameter Store keeps under `source/`, one
// file an entry. Knows nothing of what the texts mean.
import type { Dirent } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { isOwnError, type JsonValue, jsonEqual, OutriggerError, ownError } from "@outrigger/base";
import { checkSourcePath, type SourceTree } from "@outrigger/injector";
import { parseYamlDocuments } from "@outrigger/yaml";
import { layEnvironment } from "./environment.ts";

/** The largest file that is read; Parameter Store takes 8 KB a value. */
export const MAX_FILE_BYTES = 1024 * 1024;

const MAX_FILES = 2000;

const YAML: readonly string[] = [".yaml", ".yml"];

/** Folder → extensions of its files. The empty folder is the top. */
const LAYOUT: ReadonlyMap<string, readonly string[]> = new Map([
  ["", YAML],
  ["values", YAML],
  ["samples", YAML],
  ["templates", [".hbs"]],
  ["partials", [".hbs"]],
]);
/** The folder with what Istio's releases do differently: a folder each, with folders of the layout below it. */
const RELEASES = "releases";

/** The folder of the tree's tests, which `outrigger test` runs: they are not published. */
const TESTS = "tests";

/** The folder with what differs between environments: a folder each. */
const ENVIRONMENTS = "environments";

/** What a folder may hold besides tests: files at its top, and whether it has the folders of LAYOUT. */
interface Kind {
  readonly topLevel: readonly string[];
  readonly isTree: boolean;
}

const TREE: Kind = { topLevel: ["config", "mesh", "proxyconfigs", "namespaces", "schema"], isTree: true };
const ENVIRONMENT: Kind = { topLevel: ["values", "mesh", "config"], isTree: false };

/**
 * Reads a source tree: `config.yaml`, `mesh.yaml`, `proxyconfigs.yaml`, `namespaces.yaml`, `values/*.yaml`,
 * `templates/*.hbs`, `partials/*.hbs`, `samples/*.yaml`. All of them may be missing. Hidden files, editors' backups
 * and `*.md` are left alone; anything else that is not known is an error, so that a misspelt name is not one more file
 * without effect. Parameter Store takes no two braces in a row: YAML is read with a space between those that end flow maps.
 *
 * @param leaveOut called with what is wrong with a file, which is then left out; without it, that is thrown
 * @throws OutriggerError `tree-invalid`, naming the file and the remedy
 */
export async function readSourceTree(
  directory: string,
  leaveOut?: (fault: OutriggerError) => void,
): Promise<SourceTree> {
  return readFolder(directory, TREE, leaveOut);
}

/**
 * The names of a tree's environments: the folders of `environments/`, in order.
 *
 * @throws OutriggerError `tree-invalid` for a folder whose name is not that of an environment
 */
export async function listEnvironments(directory: string): Promise<readonly string[]> {
  const folder = join(directory, ENVIRONMENTS);
  if (!(await isDirectory(folder))) return [];
  return (await list(folder)).map((entry) => {
    const name = entry.name;
    if (!entry.isDirectory()) throw invalid(join(folder, name), "an environment is a folder with values.yaml");
    if (!/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(name)) {
      throw invalid(join(folder, name), "an environment's name has small letters, digits and dashes, 32 at most");
    }
    return name;
  });
}

/** A source tree with an environment laid over it, and the environment's own texts. */
interface LaidEnvironment {
  readonly tree: SourceTree;
  /** Those of `values`, `mesh` and `config` that it has. */
  readonly over: SourceTree;
}

/**
 * Reads one of a tree's environments, `environments/<name>/values.yaml`, `mesh.yaml` and `config.yaml`, and lays it over the tree.
 *
 * @param below the tree without it, as `readSourceTree` has read it from this directory
 * @throws OutriggerError `tree-invalid` for an environment that the tree has not, naming those that it has
 */
export async function readEnvironment(directory: string, name: string, below: SourceTree): Promise<LaidEnvironment> {
  const known = await listEnvironments(directory);
  const folder = join(directory, ENVIRONMENTS, name);
  if (!known.includes(name)) {
    const there =
      known.length === 0
        ? "the tree has no environments"
        : `there ${known.length === 1 ? "is" : "are"} ${known.join(", ")}`;
    throw invalid(folder, `there is no such environment (${there}); values.yaml in that folder makes it`);
  }
  const over = await readFolder(folder, ENVIRONMENT);
  const tree = Object.fromEntries(
    Object.entries(layEnvironment({ tree: below, name, over, folder })).map(([path, text]) => [
      path,
      /^(mesh|config)$/.test(path) ? withBracesApart(text) : text,
    ]),
  );
  return { tree, over };
}

async function readFolder(
  directory: string,
  kind: Kind,
  leaveOut: (fault: OutriggerError) => void = (fault) => {
    throw fault;
  },
): Promise<SourceTree> {
  const root = await resolveRoot(directory);
  const found: SourceFile[] = [];
  const attempt = async <Value>(read: () => Value | Promise<Value>): Promise<readonly Value[]> => {
    try {
      return [await read()];
    } catch (error) {
      leaveOut(ownError(error));
      return [];
    }
  };
  for (const entry of await list(directory)) {
    const { name } = entry;
    const folder = join(directory, name);
    const isBeside = name === TESTS || (kind.isTree && name === ENVIRONMENTS);
    const isFolder = (isBeside || (kind.isTree && LAYOUT.has(name))) && (await isDirectory(folder));
    if (isFolder && isBeside) continue;
    if (kind.isTree && name === RELEASES && entry.isDirectory()) found.push(...(await releaseFiles(folder)));
    else if (!isFolder) found.push(...(await attempt(() => fileOf(directory, "", entry, kind))));
    else for (const child of await list(folder)) found.push(...(await attempt(() => fileOf(directory, name, child))));
  }
  if (found.length > MAX_FILES) throw invalid(directory, `it has more than ${MAX_FILES} files`);
  await attempt(() => assertNoTwins(found));
  const texts: (readonly [string, string])[] = [];
  for (const { path, file } of found) {
    for (const text of await attempt(() => readText(file, root))) texts.push([path, text]);
  }
  return Object.fromEntries(texts);
}

/** Lists the files of Istio releases, which only the shipped tree has: lib/injector/release rejects them in any other. */
async function releaseFiles(releases: string): Promise<readonly SourceFile[]> {
  const files: SourceFile[] = [];
  for (const release of await list(releases)) {
    const root = join(releases, release.name);
    for (const folder of await list(root)) {
      if (!LAYOUT.has(folder.name))
        throw invalid(join(root, folder.name), "a release has folders values, templates and partials");
      for (const child of await list(join(root, folder.name))) {
        const { file, path } = fileOf(root, folder.name, child);
        files.push({ file, path: `${RELEASES}/${release.name}/${path}` });
      }
    }
  }
  return files;
}

interface SourceFile {
  readonly file: string;
  /** The file's path in the tree, which has no extension. */
  readonly path: string;
}

/** Hidden files, editors' backups and lock files, notes: they are not part of the tree. */
export function isIgnored(name: string): boolean {
  return /^[.#]|~$|^\d{4,5}$|\.md$/i.test(name);
}

async function resolveRoot(directory: string): Promise<string> {
  try {
    const root = await realpath(directory);
    if (await isDirectory(root)) return root;
  } catch (cause) {
    const isMissing = codeOf(cause) === "ENOENT";
    throw invalid(directory, isMissing ? "there is no such directory" : reasonOf(cause, "opened"), cause);
  }
  throw invalid(directory, "it is not a directory");
}

async function list(directory: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.filter((entry) => !isIgnored(entry.name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    throw invalid(directory, reasonOf(cause, "listed"), cause);
  }
}

function fileOf(directory: string, folder: string, entry: Dirent, kind = TREE): SourceFile {
  const file = join(directory, folder, entry.name);
  const extensions = LAYOUT.get(folder) as readonly string[];
  const extension = extensions.find((known) => entry.name.endsWith(known));
  const name = entry.name.slice(0, -(extension ?? "").length);
  if (extension === undefined || (folder === "" && !kind.topLevel.includes(name))) {
    throw invalid(
      file,
      folder === "" ? topRemedy(entry, kind) : `files in ${folder} end in ${extensions.join(" or ")}`,
    );
  }
  const path = folder === "" ? name : `${folder}/${name}`;
  try {
    if (kind.isTree) checkSourcePath(path);
  } catch (cause) {
    throw invalid(file, NAME_FORM, cause);
  }
  return { file, path };
}

const NAME_FORM = "its name may have letters, digits, dots, underscores and dashes, and starts with a letter or digit";

function topRemedy(entry: Dirent, { topLevel, isTree }: Kind): string {
  const files = topLevel.map((name) => `${name}.yaml`);
  if (!isTree) return `an environment holds ${files.join(", ")} and tests/; what else differs is decided by a value`;
  const folders = [...LAYOUT.keys()].filter((name) => name !== "").map((name) => `${name}/`);
  const known = [...files, ...folders].join(", ");
  return `a ${entry.isDirectory() ? "folder" : "file"} of this name means nothing here; known are ${known}`;
}

function assertNoTwins(files: readonly SourceFile[]): void {
  const byPath = new Map<string, string>();
  for (const { file, path } of files) {
    const twin = byPath.get(path);
    if (twin !== undefined) throw invalid(file, `${twin} says the same thing; remove one of the two`);
    byPath.set(path, file);
  }
}

async function readText(file: string, root: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    const target = await realpath(file);
    if (!target.startsWith(root.endsWith(sep) ? root : root + sep))
      throw invalid(file, "it is a link to a place outside the tree; put the file itself here");
    const status = await stat(target);
    if (!status.isFile()) throw invalid(file, "it is not a regular file");
    if (status.size > MAX_FILE_BYTES) throw invalid(file, `it is larger than ${MAX_FILE_BYTES} bytes`);
    bytes = await readFile(target);
  } catch (cause) {
    if (isOwnError(cause)) throw cause;
    // A link to nothing is what the tree holds, and no fault of this machine.
    if (codeOf(cause) === "ENOENT")
      throw invalid(file, "it has gone, or is a link to nothing; put the file itself here");
    throw invalid(file, reasonOf(cause, "opened"), cause);
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return YAML.some((extension) => file.endsWith(extension)) ? withBracesApart(text) : text;
  } catch (cause) {
    throw invalid(file, "it is not UTF-8 text", cause);
  }
}

/** `{a: {b: c} }`, where that has the same meaning: braces of a text in quotes stay as they are. */
function withBracesApart(text: string): string {
  if (!text.includes("}}")) return text;
  const apart = text.replaceAll(/\}(?=\})/g, "} ");
  try {
    const [before, after] = [text, apart].map((each) => parseYamlDocuments(each, "").map(({ value }) => value));
    return jsonEqual(before as JsonValue, after as JsonValue) ? apart : text;
  } catch {
    return text;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** Says why a file cannot be used, with the system's own code: EACCES where permission is denied. */
function reasonOf(cause: unknown, done: string): string {
  const code = codeOf(cause);
  return `it cannot be ${done}${code === undefined ? "" : ` (${code})`}`;
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
}

function invalid(path: string, remedy: string, cause?: unknown): OutriggerError {
  return new OutriggerError("tree-invalid", `Cannot read ${path}: ${remedy}`, { path, cause });
}
