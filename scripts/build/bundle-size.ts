// `npm run size [-- --write]`: fails where a function's bundle is over its budget or holds what it must not. Reads the bundles and
// metafiles that `npm run build` left in dist/.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { builtMetafile, inputsOf } from "./build-bundles.ts";
import { BUNDLE_RULES, type BundleRule, checkBundle } from "./bundle-rules.ts";
import { projectRoot } from "./bundled-release.ts";

const PAGE = join(projectRoot, "docs/contributing/deployment.md");

const problems = Object.entries(BUNDLE_RULES).flatMap(([name, rule]) => check(name, rule));
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function check(name: string, rule: BundleRule): readonly string[] {
  const built = builtMetafile(`functions/${name}/metafile.json`);
  const bytes = statSync(join(projectRoot, Object.keys(built.outputs)[0] ?? "")).size;
  console.log(`functions/${name}: ${kilobytes(bytes)} of ${kilobytes(rule.bytes)}`);
  return [...checkBundle(name, { bytes, inputs: inputsOf(built) }), ...checkPage(name, bytes)];
}

/** The figure in a page ages with every change of a bundle: 5 % are let through. With `--write`, it is written. */
function checkPage(name: string, bytes: number): readonly string[] {
  const figure = new RegExp(`^\\| ${name} \\| (\\d+) KB \\|`, "m");
  const text = readFileSync(PAGE, "utf8");
  if (process.argv.includes("--write"))
    writeFileSync(PAGE, text.replace(figure, `| ${name} | ${Math.round(bytes / 1024)} KB |`));
  const [, written = "0"] = figure.exec(readFileSync(PAGE, "utf8")) ?? [];
  if (Math.abs(Number(written) * 1024 - bytes) <= bytes / 20) return [];
  const page = relative(projectRoot, PAGE);
  return [`${page}: functions/${name} has ${kilobytes(bytes)}, and not ${written} KB: npm run size -- --write`];
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
