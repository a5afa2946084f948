// `npm run size -- --help` prints the options. Fails where a function's bundle is over its budget or holds what it must not, and prints
// what grew since the last release, which never fails. Reads the bundles and metafiles that `npm run build` left in dist/.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { toolOptions } from "../../tools/support/tool-options.ts";
import { builtMetafile, inputsOf } from "./build-bundles.ts";
import { BUNDLE_RULES, type BundleRule, checkBundle } from "./bundle-rules.ts";
import { projectRoot } from "./bundled-release.ts";
import { figuresOf, type Growth, growthOf, isMeasured } from "./growth.ts";
import { filesAt, lastRelease } from "./last-release.ts";

const PAGE = join(projectRoot, "docs/contributing/deployment.md");

const options = toolOptions({
  command: "npm run size --",
  says: "Checks the weight of the functions' bundles (after `npm run build`), and prints what grew since the last release.",
  options: {
    write: { type: "boolean", says: "write the sizes into docs/contributing/deployment.md" },
    all: { type: "boolean", says: "print every package and folder, not the ten that grew most" },
  },
  example: "npm run size -- --all",
});

/** The most rows of what grew that are printed. */
const GREW_MOST = 10;

const problems = Object.entries(BUNDLE_RULES).flatMap(([name, rule]) => check(name, rule));
printGrowth();
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function check(name: string, rule: BundleRule): readonly string[] {
  const built = builtMetafile(`functions/${name}/metafile.json`);
  const sizes = Object.keys(built.outputs).map(
    (file) => [basename(file), statSync(join(projectRoot, file)).size] as const,
  );
  const { "index.cjs": bytes = 0, ...beside } = Object.fromEntries(sizes);
  console.log(`functions/${name}: ${kilobytes(bytes)} of ${kilobytes(rule.bytes)}`);
  for (const [file, size] of Object.entries(beside))
    console.log(`functions/${name}/${file}: ${kilobytes(size)} of ${kilobytes(rule.beside?.[file] ?? 0)}`);
  return [...checkBundle(name, { bytes, beside, inputs: inputsOf(built) }), ...checkPage(name, bytes)];
}

/** The figure in a page ages with every change of a bundle: 5 % are let through. With `--write`, it is written. */
function checkPage(name: string, bytes: number): readonly string[] {
  const figure = new RegExp(`^\\| ${name} \\| (\\d+) KB \\|`, "m");
  const text = readFileSync(PAGE, "utf8");
  if (options.write) writeFileSync(PAGE, text.replace(figure, `| ${name} | ${Math.round(bytes / 1024)} KB |`));
  const [, written = "0"] = figure.exec(readFileSync(PAGE, "utf8")) ?? [];
  if (Math.abs(Number(written) * 1024 - bytes) <= bytes / 20) return [];
  const page = relative(projectRoot, PAGE);
  return [`${page}: functions/${name} has ${kilobytes(bytes)}, and not ${written} KB: npm run size -- --write`];
}

function printGrowth(): void {
  const release = lastRelease(projectRoot);
  const before = release === undefined ? undefined : figuresOf(filesAt(projectRoot, release.commit, isMeasured));
  const rows = growthOf(figuresOf(filesNow()), before);
  // The words come always: they are what users and contributors read.
  const shown = rows.filter(
    ({ name }, at) => options.all || before === undefined || at < GREW_MOST || name.startsWith("words"),
  );
  if (release === undefined) console.log("\nThere is no git history to compare with: these are today's figures.");
  else
    console.log(
      `\nWhat grew most since ${release.name}, for a person to judge (${options.all ? "all" : "--all prints all"}):`,
    );
  for (const row of shown) console.log(`  ${row.name.padEnd(36)}${growthText(row)}`);
}

function growthText({ now, before }: Growth): string {
  if (before === undefined) return String(now).padStart(8);
  const share = before === 0 ? "new" : `${now < before ? "" : "+"}${(((now - before) * 100) / before).toFixed(1)} %`;
  return `${String(before).padStart(8)} -> ${String(now).padStart(7)}  ${share}`;
}

/** The files of the checkout that git knows or would add; without git, all but what is installed and built. */
function filesNow(): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const path of pathsNow()) {
    const file = join(projectRoot, path);
    if (/\.(?:tsx?|md)$/.test(path) && existsSync(file)) texts.set(path, readFileSync(file, "utf8"));
  }
  return texts;
}

function pathsNow(): readonly string[] {
  try {
    const listed = ["ls-files", "--cached", "--others", "--exclude-standard"];
    return execFileSync("git", listed, {
      cwd: projectRoot,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).split("\n");
  } catch {
    const folders = ["lib", "cli", "studio", "functions", "infra", "scripts", "tools", "test", "docs"];
    const below = folders.flatMap((folder) =>
      readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
    );
    return ["README.md", "CONTRIBUTING.md", ...below.filter((path) => !path.includes("node_modules"))];
  }
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
