// Owns the artifacts that are deployed: one zip a function, with nothing in it but its bundle, the same bytes for the same
// code. Built apart from dist/functions, which tests build too.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { buildFunction } from "./build-bundles.mjs";
import { projectRoot } from "./bundled-release.mjs";

/**
 * Builds the functions and writes `<directory>/<name>.zip` for each, `index.cjs` in it.
 *
 * @param {readonly string[]} names Folders of `functions/`.
 * @param {string} [directory] Below the project.
 * @returns {Promise<{ readonly digest: string }>} The digest of all code, the same wherever it is built.
 */
export async function buildArtifacts(names, directory = "dist/package") {
  const bundles = await Promise.all(names.toSorted().map((name) => bundleOf(name, directory)));
  for (const { name, code } of bundles) {
    const entry = /** @type {const} */ ([code, { mtime: ALWAYS, level: 9 }]);
    writeFileSync(join(projectRoot, directory, `${name}.zip`), zipSync({ "index.cjs": entry }));
  }
  const hash = createHash("sha256");
  for (const { name, code } of bundles) hash.update(`${name} ${code.length}\n`).update(code);
  return { digest: hash.digest("hex").slice(0, 32) };
}

/** The least that a zip can say; in local time, whatever the zone. */
const ALWAYS = new Date(1980, 0, 1);

async function bundleOf(name, directory) {
  if (!existsSync(join(projectRoot, "functions", name, "index.ts"))) {
    throw new Error(`Cannot package functions/${name}: it has no index.ts`);
  }
  const [{ file }] = await buildFunction(name, { outfile: `${directory}/${name}/index.cjs` });
  return { name, code: readFileSync(join(projectRoot, file)) };
}
