// Reading the example trees: source trees to start from, each a folder with a README.md and tests. Knows nothing of what
// their templates mean.
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { OutriggerError } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import { readSourceTree } from "./source-directory.ts";

export interface Example {
  readonly name: string;
  /** The heading of its README.md. */
  readonly title: string;
  /** The first paragraph of its README.md, on one line. */
  readonly summary: string;
  /** The tree that lies over the shipped one. */
  readonly tree: SourceTree;
  /** Path in its folder → text, README.md and tests included, in the order of paths. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * The examples below a directory in the order of their names.
 *
 * @throws OutriggerError `tree-invalid`, naming the file
 */
export async function readExamples(directory: string): Promise<readonly Example[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(names.sort().map((name) => readExample(name, join(directory, name))));
}

/** The examples for the studio's page, which shows neither READMEs nor tests. */
export async function readExampleTrees(directory: string): Promise<readonly Omit<Example, "files">[]> {
  const examples = await readExamples(directory);
  return examples.map(({ files: _, ...shown }) => shown);
}

async function readExample(name: string, folder: string): Promise<Example> {
  const [tree, files] = await Promise.all([readSourceTree(folder), readFiles(folder)]);
  return { name, ...describe(files["README.md"] ?? "", folder), tree, files };
}

async function readFiles(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const paths = files.map((file) => relative(folder, file).replaceAll("\\", "/")).sort();
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(folder, path), "utf8")])),
  );
}

function describe(readme: string, folder: string): Pick<Example, "title" | "summary"> {
  const [heading = "", paragraph = ""] = readme.split(/\n{2,}/);
  if (heading.startsWith("# ") && paragraph !== "")
    return { title: heading.slice(2).trim(), summary: paragraph.trim().replaceAll(/\s+/g, " ") };
  const path = join(folder, "README.md");
  const message = `Cannot read ${path}: it must begin with a heading and a paragraph`;
  throw new OutriggerError("tree-invalid", message, { path });
}
