// Makes the checkout the next version: the changes get its number and the date, and every place that has the version gets the new one: the
// packages, the lock file, the chart, and pages that name a tarball. Nothing is committed: a person looks at the difference first.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { releaseChangelog } from "./changelog.ts";

interface Checkout {
  readonly folder: string;
  /** The paths that git calls changed or untracked. */
  readonly changed: readonly string[];
  readonly tags: readonly string[];
}

/**
 * Writes the version, and the date as YYYY-MM-DD, into the checkout, and returns the paths that were written. Throws before anything is
 * written: for what is no version, is not newer, exists, has no changes, or where the checkout has changes that are not committed.
 */
export function prepareRelease({ folder, changed, tags }: Checkout, version: string, date: string): readonly string[] {
  const current: string = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version;
  if (numbersOf(version) === undefined) throw new Error(`Cannot release "${version}": name a version, such as 1.2.3`);
  if (!isNewer(version, current)) throw new Error(`Cannot release ${version}: it is not newer than ${current}`);
  if (tags.includes(`v${version}`)) throw new Error(`Cannot release ${version}: the tag v${version} exists`);
  if (changed.length > 0)
    throw new Error(`Cannot release ${version}: commit or remove the changes of ${changed.join(", ")}`);
  const changelog = releaseChangelog(readFileSync(join(folder, "CHANGELOG.md"), "utf8"), version, date);
  const texts = [
    ["CHANGELOG.md", changelog] as const,
    ...versionedFiles(folder).map((file) => [file.path, file.withVersion(version)] as const),
  ];
  for (const [path, text] of texts) writeFileSync(join(folder, path), text);
  return texts.map(([path]) => path);
}

/** Compares two versions as Semantic Versioning orders them, except that the parts of a pre-release are compared as one text with numbers. */
function isNewer(version: string, than: string): boolean {
  const [one, other] = [numbersOf(version) ?? [], numbersOf(than) ?? []];
  const at = one.findIndex((number, index) => number !== other[index]);
  if (at !== -1) return (one[at] ?? 0) > (other[at] ?? 0);
  const [before, beforeOther] = [version, than].map((each) => each.split("-").slice(1).join("-"));
  if (!before || !beforeOther) return !before && beforeOther !== "";
  return before.localeCompare(beforeOther, "en", { numeric: true }) > 0;
}

function numbersOf(version: string): readonly number[] | undefined {
  return /^(\d+)\.(\d+)\.(\d+)(?:-[\w.]+)?$/.exec(version)?.slice(1).map(Number);
}

const VERSION = String.raw`\d+\.\d+\.\d+(?:-[\w.]+)?`;

/** The patterns, by kind of file, that match a version of Outrigger and nothing else. */
const PATTERNS = {
  package: /(?<=^ {2}"version": ")[^"]+|(?<=^ {4}"@outrigger\/[\w-]+": ")[^"]+/gm,
  lock: new RegExp(
    [
      '(?<=^ {2}"version": ")[^"]+',
      String.raw`(?<=^ {6}"name": "@outrigger/[\w-]+",\n {6}"version": ")[^"]+`,
      String.raw`(?<=^ {8}"@outrigger/[\w-]+": ")[^"]+`,
    ].join("|"),
    "gm",
  ),
  chart: /(?<=^(?:version|appVersion): ).+$/gm,
  page: new RegExp(`(?<=outrigger-)${VERSION}(?=\\.tgz)|(?<=charts/outrigger --version )${VERSION}`, "g"),
} as const;

/** The files with the versions that each has, in their order, and its text with another version at each place. */
export function versionedFiles(folder: string) {
  const libraries = readdirSync(join(folder, "lib")).map((name) => `lib/${name}`);
  const packages = [".", ...libraries, "cli", "studio"].map((each) => join(each, "package.json"));
  const pages = readdirSync(join(folder, "docs"), { recursive: true, encoding: "utf8" });
  return [
    ...packages.map((path) => fileOf(folder, path, PATTERNS.package)),
    fileOf(folder, "package-lock.json", PATTERNS.lock),
    fileOf(folder, "infra/chart/Chart.yaml", PATTERNS.chart),
    ...pages
      .filter((path) => path.endsWith(".md"))
      .map((path) => fileOf(folder, join("docs", path), PATTERNS.page))
      .filter(({ versions }) => versions.length > 0),
  ];
}

function fileOf(folder: string, path: string, pattern: RegExp) {
  const text = readFileSync(join(folder, path), "utf8");
  return {
    path,
    versions: [...text.matchAll(pattern)].map(([version]) => version),
    withVersion: (version: string) => text.replaceAll(pattern, version),
  };
}
