// Which packages are in a bundle, those of whose files esbuild put anything into it, and the text that goes with it: their licenses, as
// most of them demand of copies.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, objectOf } from "@outrigger/base";
import { projectRoot } from "../build/bundled-release.ts";

/** The name of the file with the texts, next to each bundle. */
export const LICENSES_FILE = "THIRD-PARTY-LICENSES.txt";

/**
 * The texts for a bundle, the same bytes for the same packages. Packages with the same text share it.
 *
 * @param inputs paths of the files in the bundle, as esbuild's metafile has them
 * @throws TypeError for a package without a license file whose license has no standard text
 */
export function licenseTexts(inputs: readonly string[]): string {
  const texts = new Map<string, string[]>();
  for (const one of bundledPackages(inputs)) {
    const text = textsOf(one);
    texts.set(text, [...(texts.get(text) ?? []), `${keyOf(one)} (${one.license})`]);
  }
  const parts = [...texts].map(([text, names]) => `${names.join("\n")}\n\n${text}\n`);
  const head = "The code next to this file contains code of these packages, under these licenses.\n";
  return [head, ...parts].join(`\n${"-".repeat(80)}\n\n`);
}

const NAMES = /^(licen[cs]e|copying|notice|copyrightnotice)([.-].*)?$/i;

/** Every license and notice file of a package, in the order of their names; without any, the standard text. */
function textsOf(one: BundledPackage): string {
  const folder = join(projectRoot, one.folder);
  const files = readdirSync(folder)
    .filter((name) => NAMES.test(name))
    .toSorted();
  const texts = files.map((name) => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trim());
  const isThere = files.some((name) => /^(licen[cs]e|copying)/i.test(name));
  return [...(isThere ? [] : [standardText(one)]), ...texts].join("\n\n");
}

/** Returns the standard text for a package that names its license and has no file with it. */
function standardText(one: BundledPackage): string {
  const standard = STANDARD[one.license];
  if (standard !== undefined) return `Copyright (c) ${one.author}\n\n${standard()}`;
  throw new TypeError(
    `Cannot ship ${keyOf(one)}: it has no license file, and ${one.license} has no standard text here. Bundle another package instead`,
  );
}

const STANDARD: Readonly<Record<string, () => string>> = {
  "Apache-2.0": () => readFileSync(join(projectRoot, "LICENSE"), "utf8").trim(),
  MIT: () => MIT_TEXT,
};

const MIT_TEXT = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

type BundledPackage = ReturnType<typeof readPackage>;

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

/** Returns the folder of a bundled file's package: `node_modules/a/node_modules/@b/c` */
function folderOf(input: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
}

/** Reads what a package.json says of its package, with the license as an SPDX expression. */
function readPackage(folder: string) {
  const file = join(projectRoot, folder, "package.json");
  const value: unknown = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  const { name, version, license, author } = objectOf(value);
  const person = isObject(author) ? author["name"] : author;
  if (typeof name === "string" && typeof version === "string" && typeof license === "string")
    return { name, version, license, author: typeof person === "string" ? person : `the authors of ${name}`, folder };
  throw new TypeError(`Cannot name what is bundled: ${folder}/package.json has no name, version or license`);
}
