// The entry point of the plugin in the npm package: the functions were built with the package, and are copied. Bundled to
// scripts/serverless-plugin.cjs of the packaged service; in a clone, that file builds them.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type DeployPlugin, type DeployPorts, deployPlugin } from "./deploy-plugin.ts";

/** The framework calls this with `new`; what it returns is the plugin. */
export function OutriggerPlugin(serverless: unknown): DeployPlugin {
  return deployPlugin(serverless, { buildArtifacts: copyArtifacts });
}

/** `artifacts/` is in the folder with serverless.yml, and so is the folder that the framework packages in. */
const copyArtifacts: DeployPorts["buildArtifacts"] = async (names, directory) => {
  const artifacts = join(directory, "..", "artifacts");
  mkdirSync(directory, { recursive: true });
  for (const name of names) copyFileSync(join(artifacts, `${name}.zip`), join(directory, `${name}.zip`));
};
