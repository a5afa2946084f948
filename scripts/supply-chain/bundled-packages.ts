// Which packages are in a bundle: those of whose files esbuild put anything into it.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, objectOf } from "@outrigger/base";
import { projectRoot } from "../build/bundled-release.ts";

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** As package.json says: an SPDX expression. */
  readonly license: string;
  /** As package.json says, or the package's name. */
  readonly author: string;
  /** The package's folder, relative to the project. */
  readonly folder: string;
}

/**
 * The packages of a bundle, by name and version.
 *
 * @param inputs paths of the files in it, as esbuild's metafile has them
 * @throws TypeError for a package that has no name, version or license
 */
export function bundledPackages(inputs: readonly string[]): readonly BundledPackage[] {
  const folders = new Set(inputs.flatMap((input) => folderOf(input) ?? []));
  return [...folders].map(readPackage).toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

/** `name@version`, as lock files and SBOMs write it. */
export function keyOf({ name, version }: Pick<BundledPackage, "name" | "version">): string {
  return `${name}@${version}`;
}

/** `node_modules/a/node_modules/@b/c` of a file in it. */
function folderOf(input: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
}

function readPackage(folder: string): BundledPackage {
  const file = join(projectRoot, folder, "package.json");
  const value: unknown = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  const { name, version, license, author } = objectOf(value);
  const person = isObject(author) ? author["name"] : author;
  if (typeof name === "string" && typeof version === "string" && typeof license === "string")
    return { name, version, license, author: typeof person === "string" ? person : `the authors of ${name}`, folder };
  throw new TypeError(`Cannot name what is bundled: ${folder}/package.json has no name, version or license`);
}
