// How the studio's page is made: a script for the page, one for what comes after the first preview and one for what both use; one for its
// workers; a style sheet.
import { copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { SourceTree } from "@outrigger/injector";
import type { ExampleTree, Workspace } from "@outrigger/studio";
import { type BuildOptions, build } from "esbuild";
import { LICENSES_FILE, licenseTexts } from "../supply-chain/license-texts.ts";
import { type BundleReport, inputsOf } from "./build-bundles.ts";
import { projectRoot } from "./bundled-release.ts";

export interface Playground {
  readonly shipped: SourceTree;
  readonly examples: readonly ExampleTree[];
  readonly preview: Workspace["preview"];
}

const OPTIONS: BuildOptions = {
  absWorkingDir: projectRoot,
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  target: ["chrome120", "firefox120", "safari17.5"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
};

/**
 * `dist/studio`: the page that the command line tool serves.
 *
 * @param playground what a page that works on its own has in it
 */
export async function buildStudio(
  outdir = "dist/studio",
  playground: Playground | null = null,
): Promise<readonly BundleReport[]> {
  const directory = resolve(projectRoot, outdir);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const page = await build({
    ...OPTIONS,
    metafile: true,
    entryPoints: ["studio/main.tsx", "studio/main.css"],
    outdir,
    // What comes after the first preview is a file of its own, and what it has in common with the page another one.
    splitting: true,
    chunkNames: "[name]",
    // A text, because esbuild gives an object a file of its own.
    define: { PLAYGROUND: JSON.stringify(JSON.stringify(playground)) },
  });
  const worker = await build({
    ...OPTIONS,
    metafile: true,
    entryPoints: ["studio/preview/worker.ts"],
    outfile: `${outdir}/worker.js`,
  });
  writeFileSync(
    join(directory, LICENSES_FILE),
    licenseTexts([page, worker].flatMap(({ metafile }) => inputsOf(metafile))),
  );
  copyFileSync(resolve(projectRoot, "studio/index.html"), join(directory, "index.html"));
  return ["main.js", "chunk.js", "parts.js", "main.css", "worker.js", "index.html"].map((name) => ({
    file: `${outdir}/${name}`,
    bytes: statSync(join(directory, name)).size,
  }));
}
