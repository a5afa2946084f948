// The deployable service of the npm package: serverless.yml with everything that it names, the functions built and zipped, the
// plugin and the settings bundled, so that a deploy needs neither a clone nor a build.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { readRecord } from "../../tools/support/read-record.ts";
import { LICENSES_FILE, licenseTexts } from "../supply-chain/license-texts.ts";
import { type BundleReport, functionNames, inputsOf } from "./build-bundles.ts";
import { projectRoot, shared } from "./bundled-release.ts";
import { buildArtifacts } from "./package-functions.ts";

/** Bundle in the service → its source. The framework requires both, as CommonJS. */
const BUNDLES: Readonly<Record<string, string>> = {
  "scripts/serverless-plugin.cjs": 'module.exports = require("./infra/packaged-plugin.ts").OutriggerPlugin;',
  "infra/settings.cjs": 'module.exports = { ...require("./infra/settings/framework-values.ts") };',
};

/**
 * `dist/deploy`: what `outrigger deploy` hands to osls.
 *
 * @param built the folder with the bundles of the functions, where this process has just built them
 */
export async function buildDeploy(built?: string): Promise<readonly BundleReport[]> {
  const directory = join(projectRoot, "dist/deploy");
  rmSync(directory, { recursive: true, force: true });
  const copied = ["serverless.yml", ...templateFiles()];
  for (const file of copied) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    copyFileSync(join(projectRoot, file), join(directory, file));
  }
  const inputs = await Promise.all(
    Object.entries(BUNDLES).map(([file, contents]) => bundle(contents, join(directory, file))),
  );
  writeFileSync(join(directory, LICENSES_FILE), licenseTexts([...new Set(inputs.flat())]));
  const names = functionNames();
  await buildArtifacts(names, join(directory, "artifacts"), built);
  // The version that this project is tested with: the lock file's.
  const osls = readFileSync(join(projectRoot, "node_modules/serverless/package.json"), "utf8");
  const { version } = readRecord<{ readonly version: string }>(osls, "osls", { version: "text" });
  writeFileSync(join(directory, "osls-version"), `${version}\n`);
  const files = [...copied, ...Object.keys(BUNDLES), ...names.map((name) => `artifacts/${name}.zip`)];
  return files.map((file) => ({ file: `dist/deploy/${file}`, bytes: statSync(join(directory, file)).size }));
}

/** Every YAML file of infra/: those that serverless.yml names, and those that they name. */
function templateFiles(): readonly string[] {
  const files = readdirSync(join(projectRoot, "infra"), { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(".yml")).map((file) => join("infra", file));
}

async function bundle(contents: string, outfile: string): Promise<readonly string[]> {
  const { metafile } = await build({
    ...shared,
    stdin: { contents, resolveDir: projectRoot, sourcefile: "entry.cjs" },
    outfile,
    format: "cjs",
    minify: true,
    metafile: true,
  });
  return inputsOf(metafile);
}
