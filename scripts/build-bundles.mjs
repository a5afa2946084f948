// Owns how each bundle is made with esbuild: entry points, formats, what is written where. Knows nothing of what the
// code does.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { bundledReleasePlugin, projectRoot, requireBanner, shared } from "./bundled-release.mjs";
import { leaveOutUnused } from "./leave-out-unused.mjs";

const { version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));

/**
 * `dist/outrigger.mjs`: one executable file, the whole command line tool. It is put in place in one step, so that a tool
 * that is started meanwhile is the old one or the new one.
 */
export async function buildCli(outfile = "dist/outrigger.mjs") {
  const { outputFiles } = await build({
    ...shared,
    entryPoints: ["cli/bin.ts"],
    outfile,
    write: false,
    format: "esm",
    plugins: [bundledReleasePlugin()],
    define: { OUTRIGGER_VERSION: JSON.stringify(version) },
    banner: { js: `#!/usr/bin/env node\n${requireBanner}` },
  });
  const file = resolve(projectRoot, outfile);
  const draft = `${file}.${randomUUID().slice(0, 8)}`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(draft, outputFiles[0].contents, { mode: 0o755 });
  renameSync(draft, file);
  return [sizeOf(outfile)];
}

/** `dist/functions/<name>/index.*` with its `metafile.json`, for every folder of `functions/` that has an `index.ts`. */
export async function buildFunctions() {
  const folders = readdirSync(join(projectRoot, "functions"));
  const names = folders.filter((name) => existsSync(join(projectRoot, "functions", name, "index.ts")));
  return (await Promise.all(names.map((name) => buildFunction(name)))).flat();
}

/**
 * One Lambda function's bundle. CommonJS or ES modules is a measured choice: docs/adr/0003-bundle-format.md.
 *
 * @param {string} name
 * @param {{ format?: "cjs" | "esm", outfile?: string } & Partial<import("esbuild").BuildOptions>} [options]
 */
export async function buildFunction(name, { format = FORMAT, outfile, ...options } = {}) {
  const file = outfile ?? `dist/functions/${name}/index.${EXTENSION[format]}`;
  const result = await build({
    ...functionOptions(format),
    entryPoints: [`functions/${name}/index.ts`],
    outfile: file,
    ...options,
  });
  writeFileSync(resolve(projectRoot, dirname(file), "metafile.json"), JSON.stringify(result.metafile));
  return [sizeOf(file)];
}

/** The files of which anything is in the bundle: those that esbuild read and left out are not. */
export function inputsOf({ outputs }) {
  const [{ inputs }] = Object.values(outputs);
  return Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0);
}

function functionOptions(format) {
  return {
    ...shared,
    target: "node24",
    format,
    minify: true,
    metafile: true,
    plugins: [bundledReleasePlugin(), ...leaveOutUnused()],
    define: { OUTRIGGER_VERSION: JSON.stringify(version) },
    // Where `import("node:http")` stays, Node makes an ES module of it: that reads all that it exports, and so loads undici.
    supported: { "dynamic-import": format === "esm" },
    ...(format === "esm" ? { banner: { js: requireBanner } } : {}),
  };
}

const FORMAT = "cjs";
const EXTENSION = { cjs: "cjs", esm: "mjs" };

function sizeOf(file) {
  return { file, bytes: statSync(resolve(projectRoot, file)).size };
}
