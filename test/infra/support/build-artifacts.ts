// Builds the functions once for all tests that deploy: what is packaged again and again is not built again and again.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildArtifacts } from "../../../scripts/build/package-functions.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder with `<function>.zip`. */
    artifacts: string;
  }
}

export async function setup(project: TestProject): Promise<() => void> {
  const artifacts = mkdtempSync(join(tmpdir(), "outrigger-artifacts-"));
  await buildArtifacts(["canary", "inject", "publish", "register"], artifacts);
  project.provide("artifacts", artifacts);
  return () => rmSync(artifacts, { recursive: true });
}
