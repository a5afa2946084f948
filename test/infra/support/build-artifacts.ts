// Builds the functions once for all tests that deploy: what is packaged again and again is not built again and again.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";
import { builtArtifacts } from "../../../scripts/build/built.ts";
import { projectRoot } from "../../../scripts/build/bundled-release.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder with `<function>.zip`. */
    artifacts: string;
  }
}

export async function setup(project: TestProject): Promise<() => void> {
  const place = mkdtempSync(join(tmpdir(), "outrigger-artifacts-"));
  const artifacts = await builtArtifacts(["canary", "inject", "publish", "register"], place);
  project.provide("artifacts", resolve(projectRoot, artifacts));
  return () => rmSync(place, { recursive: true });
}
