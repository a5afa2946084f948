// `npm run size`: fails where a function's bundle is over its budget or holds what it must not. Reads the bundles and
// metafiles that `npm run build` left in dist/.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { inputsOf } from "./build-bundles.mjs";
import { BUNDLE_RULES, checkBundle } from "./bundle-rules.mjs";
import { projectRoot } from "./bundled-release.mjs";

const problems = Object.keys(BUNDLE_RULES).flatMap(check);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function check(name) {
  const metafile = join(projectRoot, "dist/functions", name, "metafile.json");
  if (!existsSync(metafile)) return [`functions/${name}: not built, run npm run build`];
  const built = JSON.parse(readFileSync(metafile, "utf8"));
  const bytes = statSync(join(projectRoot, Object.keys(built.outputs)[0])).size;
  console.log(`functions/${name}: ${kilobytes(bytes)} of ${kilobytes(BUNDLE_RULES[name].bytes)}`);
  return checkBundle(name, { bytes, inputs: inputsOf(built) });
}

function kilobytes(bytes) {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
