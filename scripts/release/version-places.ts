// Every place in the checkout that has Outrigger's version: its packages, the lock file, the chart, and pages that name a tarball.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const VERSION = String.raw`\d+\.\d+\.\d+(?:-[\w.]+)?`;

/** Kind of file → what is a version of Outrigger in it, and nothing else. */
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

export interface VersionedFile {
  readonly path: string;
  /** Those that it has, in their order. */
  readonly versions: readonly string[];
  /** Its text with another version at each place. */
  withVersion(version: string): string;
}

export function versionedFiles(folder: string): readonly VersionedFile[] {
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

function fileOf(folder: string, path: string, pattern: RegExp): VersionedFile {
  const text = readFileSync(join(folder, path), "utf8");
  return {
    path,
    versions: [...text.matchAll(pattern)].map(([version]) => version),
    withVersion: (version) => text.replaceAll(pattern, version),
  };
}
