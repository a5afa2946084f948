import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { inputsOf } from "../../build/build-bundles.ts";
import { builtFunction } from "../../build/built.ts";
import { projectRoot } from "../../build/bundled-release.ts";

/** Builds the register function, and returns the files that its bundle is made of, as esbuild names them. */
export async function registerInputs(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "outrigger-supply-"));
  try {
    const file = await builtFunction("register", relative(projectRoot, join(folder, "index.cjs")));
    return inputsOf(JSON.parse(readFileSync(join(projectRoot, dirname(file), "metafile.json"), "utf8")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
