// The artifacts that are deployed: one zip a function, with its bundle, the release that it reads, the file that Lambda loads it by,
// and the licenses of what is in it, and nothing else: the same bytes for the same code.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { LICENSES_FILE } from "../supply-chain/license-texts.ts";
import { buildFunction, RELEASE_FILE } from "./build-bundles.ts";
import { projectRoot } from "./bundled-release.ts";

/**
 * Builds the functions and writes `<directory>/<name>.zip` for each, with `index.cjs`, the bundle, its release and the license texts.
 *
 * @param names Folders of `functions/`.
 * @param directory Made where it does not exist.
 */
export async function buildArtifacts(names: readonly string[], directory: string): Promise<void> {
  const bundles = await Promise.all(names.map((name) => bundleOf(name)));
  mkdirSync(directory, { recursive: true });
  for (const { name, code, licenses, release } of bundles) {
    const options = { mtime: ALWAYS, level: 9 } as const;
    const files = { "index.cjs": ENTRY, [BUNDLE_FILE]: code, ...release, [LICENSES_FILE]: licenses };
    const zip = zipSync(Object.fromEntries(Object.entries(files).map(([file, bytes]) => [file, [bytes, options]])));
    writeFileSync(join(directory, `${name}.zip`), zip);
  }
}

export const BUNDLE_FILE = "function.cjs";

/**
 * Lambda imports `index.cjs` as an ES module does: Node then searches all of its text for what it exports. That of the inject
 * function's bundle took a tenth of a cold start (docs/contributing/adr/0003-bundle-format.md). What `require` loads is not searched.
 */
const ENTRY = new TextEncoder().encode(`exports.handler = require("./${BUNDLE_FILE}").handler;\n`);

/** The earliest time that a zip can hold. It is in local time, whatever the zone. */
const ALWAYS = new Date(1980, 0, 1);

/** Bundles a function in a folder of its own: tests and other builds write to dist/functions. */
async function bundleOf(name: string) {
  if (!existsSync(join(projectRoot, "functions", name, "index.ts"))) {
    throw new Error(`Cannot package functions/${name}: it has no index.ts`);
  }
  const place = `dist/.package/${name}-${randomUUID().slice(0, 8)}`;
  try {
    const { file } = await buildFunction(name, { outfile: `${place}/index.cjs` });
    const read = (path: string) => new Uint8Array(readFileSync(join(projectRoot, path)));
    const hasRelease = existsSync(join(projectRoot, place, RELEASE_FILE));
    const release = hasRelease ? { [RELEASE_FILE]: read(join(place, RELEASE_FILE)) } : {};
    return { name, code: read(file), release, licenses: read(join(place, LICENSES_FILE)) };
  } finally {
    rmSync(join(projectRoot, place), { recursive: true, force: true });
  }
}
