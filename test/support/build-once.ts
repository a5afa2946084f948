// Builds what the end-to-end tests run, once before all of them, and finds the Node that functions are deployed on.
import type { TestProject } from "vitest/node";
import { buildCli, buildFunctions } from "../../scripts/build-bundles.mjs";
import { deployedNode } from "../../scripts/node24.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the deployed Node, or of the running one where that cannot be had. */
    deployedNode: string;
  }
}

export async function setup(project: TestProject): Promise<void> {
  await Promise.all([buildCli(), buildFunctions()]);
  const { path, version, reason } = deployedNode();
  if (reason !== undefined) console.warn(`Bundles are tested on ${version}, not on the deployed Node: ${reason}`);
  project.provide("deployedNode", path);
}
