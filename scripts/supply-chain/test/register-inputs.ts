import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { buildFunction, inputsOf } from "../../build/build-bundles.ts";
import { projectRoot } from "../../build/bundled-release.ts";

/** Builds the register function, and returns the files that its bundle is made of, as esbuild names them. */
export async function registerInputs(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "outrigger-supply-"));
  try {
    await buildFunction("register", { outfile: relative(projectRoot, join(folder, "index.cjs")) });
    return inputsOf(JSON.parse(readFileSync(join(folder, "metafile.json"), "utf8")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
