// How each bundle is made with esbuild: entry points, formats, what is written where. Knows nothing of what the
// code does.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { readRecord } from "../../tools/support/read-record.ts";
import { importPastFaces } from "../import-past-faces.ts";
import { LICENSES_FILE, licenseTexts } from "../supply-chain/license-texts.ts";
import { bundledReleasePlugin, projectRoot, requireBanner, shared } from "./bundled-release.ts";
import { leaveOutUnused } from "./leave-out-unused.ts";
import { shortTypeNames } from "./short-type-names.ts";

const packageFile = readFileSync(join(projectRoot, "package.json"), "utf8");
const { version } = readRecord<{ readonly version: string }>(packageFile, "package.json", { version: "text" });

export interface BundleReport {
  /** Relative to the project. */
  readonly file: string;
  readonly bytes: number;
}

/** A tool that was started so long ago has loaded its parts. */
const STALE = 10 * 60_000;

export interface CliOptions {
  readonly outdir?: string;
  /** Nothing of an earlier build is kept: for what is packed. */
  readonly isClean?: boolean;
}

/**
 * `dist/outrigger.mjs`, the command line tool, and `dist/cli/*.mjs`, the parts of it that a command loads when it needs them. The
 * executable is put in place in one step and last, and the parts of an earlier one are kept for a while, so that a tool that is started
 * meanwhile is the old one or the new one.
 */
export async function buildCli({ outdir = "dist", isClean = false }: CliOptions = {}): Promise<BundleReport> {
  const { outputFiles, metafile } = await build({
    ...shared,
    entryPoints: { outrigger: "cli/bin.ts" },
    outdir,
    outExtension: { ".js": ".mjs" },
    chunkNames: "cli/[name]-[hash]",
    splitting: true,
    // White space is a third of what Node reads at every start; names stay, for the traces of errors.
    minifyWhitespace: true,
    write: false,
    metafile: true,
    format: "esm",
    plugins: [bundledReleasePlugin(), importPastFaces()],
    define: { OUTRIGGER_VERSION: JSON.stringify(version) },
    banner: { js: requireBanner },
  });
  const file = resolve(projectRoot, outdir, "outrigger.mjs");
  const parts = resolve(projectRoot, outdir, "cli");
  mkdirSync(parts, { recursive: true });
  for (const { path, contents } of outputFiles) if (path !== file) writeWhole(outdir, path, contents);
  const executable = outputFiles.find(({ path }) => path === file);
  if (executable === undefined) throw new Error("esbuild wrote no bundle of the command line tool");
  writeFileSync(resolve(projectRoot, outdir, "outrigger.metafile.json"), JSON.stringify(metafile));
  writeFileSync(resolve(projectRoot, outdir, `outrigger.${LICENSES_FILE}`), licenseTexts(inputsOf(metafile)));
  writeWhole(outdir, file, `#!/usr/bin/env node\n${executable.text}`, 0o755);
  removeStale(parts, new Set(outputFiles.map(({ path }) => path)), isClean ? 0 : STALE);
  const bytes = outputFiles.reduce((sum, { contents }) => sum + contents.length, 0);
  return { file: join(outdir, "outrigger.mjs"), bytes };
}

/** Another build may write the same file while it is run: all of it is there at every moment. Drafts are outside `cli`, whose stale files go. */
function writeWhole(outdir: string, file: string, contents: string | Uint8Array, mode = 0o644): void {
  const draft = resolve(projectRoot, outdir, `${basename(file)}.${randomUUID().slice(0, 8)}`);
  writeFileSync(draft, contents, { mode });
  renameSync(draft, file);
}

function removeStale(folder: string, current: ReadonlySet<string>, age: number): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (!current.has(file) && Date.now() - statSync(file).mtimeMs >= age) rmSync(file, { force: true });
  }
}

/** `dist/functions/<name>/index.*` with its `metafile.json`, for every folder of `functions/` that has an `index.ts`. */
export async function buildFunctions(): Promise<readonly BundleReport[]> {
  const folders = readdirSync(join(projectRoot, "functions"));
  const names = folders.filter((name) => existsSync(join(projectRoot, "functions", name, "index.ts")));
  return Promise.all(names.map((name) => buildFunction(name)));
}

type Format = "cjs" | "esm";

export interface FunctionOptions {
  readonly format?: Format;
  readonly outfile?: string;
  readonly minify?: boolean;
}

/** One Lambda function's bundle. CommonJS or ES modules is a measured choice: docs/contributing/adr/0003-bundle-format.md. */
export async function buildFunction(
  name: string,
  { format = FORMAT, outfile, minify = true }: FunctionOptions = {},
): Promise<BundleReport> {
  const file = outfile ?? `dist/functions/${name}/index.${EXTENSION[format]}`;
  const result = await build({
    ...functionOptions(format),
    minify,
    metafile: true,
    entryPoints: [`functions/${name}/index.ts`],
    outfile: file,
  });
  const folder = resolve(projectRoot, dirname(file));
  writeFileSync(join(folder, "metafile.json"), JSON.stringify(result.metafile));
  writeFileSync(join(folder, LICENSES_FILE), licenseTexts(inputsOf(result.metafile)));
  return sizeOf(file);
}

/** The files of which anything is in the bundle: those that esbuild read and left out are not. */
export function inputsOf({ outputs }: Pick<Metafile, "outputs">): readonly string[] {
  return Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path);
}

function functionOptions(format: Format): BuildOptions {
  return {
    ...shared,
    target: "node24",
    format,
    plugins: [bundledReleasePlugin(), shortTypeNames(), ...leaveOutUnused()],
    define: { OUTRIGGER_VERSION: JSON.stringify(version) },
    // Where `import("node:http")` stays, Node makes an ES module of it: that reads all that it exports, and so loads undici.
    supported: { "dynamic-import": format === "esm" },
    ...(format === "esm" ? { banner: { js: requireBanner } } : {}),
  };
}

const FORMAT: Format = "cjs";
const EXTENSION: Readonly<Record<Format, string>> = { cjs: "cjs", esm: "mjs" };

function sizeOf(file: string): BundleReport {
  return { file, bytes: statSync(resolve(projectRoot, file)).size };
}
