// Builds what the end-to-end tests run, once before all of them, and finds the Node that functions are deployed on.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { buildCli, buildFunctions } from "../../scripts/build/build-bundles.ts";
import { isBuilt } from "../../scripts/build/built.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the deployed Node, or of the running one where that cannot be had. */
    deployedNode: string;
  }
}

export async function setup(project: TestProject): Promise<void> {
  const [{ stdout, stderr }] = await Promise.all([findNode(), ...(isBuilt ? [] : [buildCli(), buildFunctions()])]);
  // Says why where it is another.
  if (stderr !== "") console.warn(stderr.trim());
  project.provide("deployedNode", stdout.trim());
}

/** Finds Node.js in a process of its own: the first time it is fetched, while everything is being built. */
function findNode() {
  const script = fileURLToPath(new URL("../../tools/support/node24.ts", import.meta.url));
  return promisify(execFile)(process.execPath, ["--import", "tsx", script]);
}
