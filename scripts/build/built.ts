// What a run of many steps builds once: `.ci/run` builds all of dist/ first, and tells its steps by OUTRIGGER_BUILT, which is the folder of the
// project, as no source changes there before its end. Anywhere else, and in copies of the project that tests make, each step builds what
// it needs: what is in dist/ may be of other sources.
import { join } from "node:path";
import { buildCli, buildFunction } from "./build-bundles.ts";
import { projectRoot } from "./bundled-release.ts";
import { buildArtifacts } from "./package-functions.ts";

/** Whether dist/ is what `npm run build` makes of these sources. */
export const isBuilt = process.env["OUTRIGGER_BUILT"] === projectRoot;

/** Returns the path of the command line tool, relative to the project. */
export async function builtCli(): Promise<string> {
  return isBuilt ? "dist/outrigger.mjs" : (await buildCli()).file;
}

/**
 * Returns the path of a function's bundle, relative to the project, with its metafile and what it reads next to it.
 *
 * @param outfile where it is built, if it is: other steps build dist/functions meanwhile
 */
export async function builtFunction(name: string, outfile: string): Promise<string> {
  return isBuilt ? `dist/functions/${name}/index.cjs` : (await buildFunction(name, { outfile })).file;
}

/**
 * Returns the folder with `<name>.zip` for each function.
 *
 * @param directory where they are built, if they are
 */
export async function builtArtifacts(names: readonly string[], directory: string): Promise<string> {
  if (isBuilt) return join("dist", "deploy", "artifacts");
  await buildArtifacts(names, directory);
  return directory;
}
