// The artifacts that are deployed: one zip a function, with its bundle, the files that it reads when it needs them, the file that Lambda loads it by,
// and the licenses of what is in it, and nothing else: the same bytes for the same code.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { LICENSES_FILE } from "../supply-chain/license-texts.ts";
import { buildFunction, FILES_BESIDE } from "./build-bundles.ts";
import { projectRoot } from "./bundled-release.ts";

/**
 * Builds the functions and writes `<directory>/<name>.zip` for each, with `index.cjs`, the bundle, what it reads and the license texts.
 *
 * @param names Folders of `functions/`.
 * @param directory Made where it does not exist.
 * @param built The folder with `<name>/index.cjs` of functions that this process has just built.
 */
export async function buildArtifacts(names: readonly string[], directory: string, built?: string): Promise<void> {
  const bundles = await Promise.all(
    names.map((name) => (built === undefined ? bundleOf(name) : readBundle(name, join(built, name)))),
  );
  mkdirSync(directory, { recursive: true });
  for (const { name, code, licenses, beside } of bundles) {
    const options = { mtime: ALWAYS, level: 9 } as const;
    const files = { "index.cjs": ENTRY, [BUNDLE_FILE]: code, ...beside, [LICENSES_FILE]: licenses };
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
    await buildFunction(name, { outfile: `${place}/index.cjs` });
    return readBundle(name, place);
  } finally {
    rmSync(join(projectRoot, place), { recursive: true, force: true });
  }
}

/** @param place relative to the project */
function readBundle(name: string, place: string) {
  const read = (file: string) => new Uint8Array(readFileSync(join(projectRoot, place, file)));
  const beside = FILES_BESIDE.filter((file) => existsSync(join(projectRoot, place, file)));
  return {
    name,
    code: read("index.cjs"),
    beside: Object.fromEntries(beside.map((file) => [file, read(file)])),
    licenses: read(LICENSES_FILE),
  };
}
