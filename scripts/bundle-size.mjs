// `npm run size`: fails where a function's bundle, with what it will need, is over its budget or holds what it must not.
// Reads the bundles and metafiles that `npm run build` left in dist/, and bundles what is measured only.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { inputsOf, measureFunction } from "./build-bundles.mjs";
import { BUNDLE_RULES, checkBundle } from "./bundle-rules.mjs";
import { projectRoot } from "./bundled-release.mjs";

const problems = [];
for (const name of Object.keys(BUNDLE_RULES)) problems.push(...(await check(name)));
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

async function check(name) {
  const metafile = join(projectRoot, "dist/functions", name, "metafile.json");
  if (!existsSync(metafile)) return [`functions/${name}: not built, run npm run build`];
  const built = JSON.parse(readFileSync(metafile, "utf8"));
  const bytes = statSync(join(projectRoot, Object.keys(built.outputs)[0])).size;
  const found = checkBundle(name, { bytes, inputs: inputsOf(built) });
  const { bytes: budget, complete: entry } = BUNDLE_RULES[name];
  console.log(`functions/${name}: ${kilobytes(bytes)} of ${kilobytes(budget)}`);
  if (entry === undefined) return found;
  const complete = await measureFunction(entry);
  console.log(`  with the Parameter Store client: ${kilobytes(complete.bytes)}`);
  return [...new Set([...found, ...checkBundle(name, complete)])];
}

function kilobytes(bytes) {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
