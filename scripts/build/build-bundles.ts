// How each bundle is made with esbuild: entry points, formats, what is written where. Knows nothing of what the
// code does.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { build, type Metafile } from "esbuild";
import { readRecord } from "../../tools/support/read-record.ts";
import { importPastFaces } from "../import-past-faces.ts";
import { LICENSES_FILE, licenseTexts } from "../supply-chain/license-texts.ts";
import { bundledReleasePlugin, projectRoot, requireBanner, shared } from "./bundled-release.ts";
import { leaveOutClasses, leaveOutDocs, leaveOutHelperTexts } from "./leave-out-docs.ts";
import { leaveOutUnused } from "./leave-out-unused.ts";
import { RARE_FILE, rarePart } from "./rare-part.ts";
import { shortTypeNames } from "./short-type-names.ts";

const packageFile = readFileSync(join(projectRoot, "package.json"), "utf8");
const { version } = readRecord<{ readonly version: string }>(packageFile, "package.json", { version: "text" });

export interface BundleReport {
  /** The path of the file, relative to the project. */
  readonly file: string;
  readonly bytes: number;
}

/**
 * The age in milliseconds from which a part may be removed: a tool that was started so long ago has loaded its parts.
 */
const STALE = 10 * 60_000;

/**
 * `dist/outrigger.mjs`, the command line tool, and `dist/cli/*.mjs`, the parts of it that a command loads when it needs them. The
 * executable is put in place in one step and last, and the parts of an earlier one are kept for a while, so that a tool that is started
 * meanwhile is the old one or the new one.
 *
 * @param isClean whether nothing of an earlier build is kept: for what is packed
 */
export async function buildCli(isClean = false): Promise<BundleReport> {
  const { outputFiles, metafile } = await build({
    ...shared,
    entryPoints: { outrigger: "cli/bin.ts" },
    outdir: "dist",
    outExtension: { ".js": ".mjs" },
    chunkNames: "cli/[name]-[hash]",
    assetNames: "cli/release-[hash]",
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
  const dist = join(projectRoot, "dist");
  const file = join(dist, "outrigger.mjs");
  const parts = join(dist, "cli");
  mkdirSync(parts, { recursive: true });
  for (const { path, contents } of outputFiles) if (path !== file) writeWhole(path, contents);
  const executable = outputFiles.find(({ path }) => path === file);
  if (executable === undefined) throw new Error("esbuild wrote no bundle of the command line tool");
  writeFileSync(join(dist, "outrigger.metafile.json"), JSON.stringify(metafile));
  writeFileSync(join(dist, `outrigger.${LICENSES_FILE}`), licenseTexts(inputsOf(metafile)));
  writeWhole(file, `#!/usr/bin/env node\n${executable.text}`, 0o755);
  removeStale(parts, new Set(outputFiles.map(({ path }) => path)), isClean ? 0 : STALE);
  const bytes = outputFiles.reduce((sum, { contents }) => sum + contents.length, 0);
  return { file: "dist/outrigger.mjs", bytes };
}

/** Writes a file so that all of it is there at every moment: another build may write it while it is run. Drafts are outside `cli`, whose stale files are removed. */
function writeWhole(file: string, contents: string | Uint8Array, mode = 0o644): void {
  const draft = join(projectRoot, "dist", `${basename(file)}.${randomUUID().slice(0, 8)}`);
  writeFileSync(draft, contents, { mode });
  renameSync(draft, file);
}

function removeStale(folder: string, current: ReadonlySet<string>, age: number): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (!current.has(file) && Date.now() - statSync(file).mtimeMs >= age) rmSync(file, { force: true });
  }
}

/** The folders of `functions/` that have an `index.ts`, in order. */
export function functionNames(): readonly string[] {
  const folders = readdirSync(join(projectRoot, "functions"));
  return folders.filter((name) => existsSync(join(projectRoot, "functions", name, "index.ts"))).toSorted();
}

/** `dist/functions/<name>/index.cjs` with its `metafile.json`, for every function. */
export async function buildFunctions(): Promise<readonly BundleReport[]> {
  return Promise.all(functionNames().map((name) => buildFunction(name)));
}

export interface FunctionOptions {
  readonly outfile?: string;
  readonly minify?: boolean;
}

/** The shipped release, next to the bundle of the function that reads it. */
const RELEASE_FILE = "release.json";

/** What a function reads when it needs it: files next to the bundle of a function that has them. */
export const FILES_BESIDE: readonly string[] = [RARE_FILE, RELEASE_FILE];

/** One Lambda function's bundle, in CommonJS: docs/contributing/adr/0003-bundle-format.md has the measurements. */
export async function buildFunction(
  name: string,
  { outfile: file = `dist/functions/${name}/index.cjs`, minify = true }: FunctionOptions = {},
): Promise<BundleReport> {
  const options = { target: "node24", minify };
  const part = name === "inject" ? await rarePart(options) : undefined;
  const { metafile } = await build({
    ...shared,
    ...options,
    format: "cjs",
    plugins: [
      bundledReleasePlugin(),
      ...(part === undefined ? [] : [part.plugin]),
      shortTypeNames(),
      // The others lint, which counts the arguments of helpers, and read options.
      ...(name === "inject"
        ? [leaveOutClasses(), leaveOutDocs()]
        : [leaveOutDocs(/[\\/]lib[\\/](?:base|webhook)[\\/].*\.ts$/), leaveOutHelperTexts()]),
      ...leaveOutUnused(),
    ],
    define: { OUTRIGGER_VERSION: JSON.stringify(version) },
    // Where `import("node:http")` stays, Node makes an ES module of it: that reads all that it exports, and so loads undici.
    supported: { "dynamic-import": false },
    metafile: true,
    entryPoints: [`functions/${name}/index.ts`],
    outfile: file,
    assetNames: "[name]",
  });
  const rare = Object.entries(metafile.outputs).find(([path]) => basename(path) === RARE_FILE)?.[1];
  if (rare !== undefined && part !== undefined) rare.inputs = part.inputs;
  const folder = resolve(projectRoot, dirname(file));
  writeFileSync(join(folder, "metafile.json"), JSON.stringify(metafile));
  writeFileSync(join(folder, LICENSES_FILE), licenseTexts(inputsOf(metafile)));
  return { file, bytes: statSync(resolve(projectRoot, file)).size };
}

/** The files of which anything is in the bundle: those that esbuild read and left out are not. */
export function inputsOf({ outputs }: Pick<Metafile, "outputs">): readonly string[] {
  return Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path);
}

/**
 * The metafile that `npm run build` left in dist/.
 *
 * @throws Error where it is not there, which says how to make it
 */
export function builtMetafile(file: string): Pick<Metafile, "outputs"> {
  const path = join(projectRoot, "dist", file);
  if (!existsSync(path)) throw new Error(`Cannot read dist/${file}: it is not built, run npm run build`);
  return readRecord<Pick<Metafile, "outputs">>(readFileSync(path, "utf8"), `dist/${file}`, { outputs: "object" });
}
