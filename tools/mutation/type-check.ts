// Whether TypeScript takes a mutant. One that it refuses can be in no commit, so that no test has to notice it.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Mutant } from "./mutants.ts";

/** What declares the modules that no file of the project is. */
const DECLARED = ["functions/*.d.ts"];

/**
 * Checks the mutated file alone, with what it imports as it is. Unused names do not count: a fault may leave some.
 *
 * @param root of the project, where its tsconfig.json is
 * @throws Error where the compiler itself fails
 */
export async function hasTypes({ file, code }: Pick<Mutant, "file" | "code">, root: string): Promise<boolean> {
  const runtime = join(root, ".runtime/mutation");
  mkdirSync(runtime, { recursive: true });
  const folder = mkdtempSync(join(runtime, "types-"));
  try {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), code);
    const config = {
      extends: relative(folder, join(root, "tsconfig.json")),
      // The folder lies over the project, so that relative imports lead out of it.
      compilerOptions: { rootDirs: [".", relative(folder, root)], noUnusedLocals: false, noUnusedParameters: false },
      // Modules that the build makes are declared in files that nothing imports.
      include: DECLARED.map((folders) => relative(folder, join(root, folders))),
      files: [file],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const { stdout, code: status } = await compile(folder, root);
    if (status !== 0 && !stdout.includes("error TS")) throw new Error(`tsc ended with code ${status}: ${stdout}`);
    return status === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compile(folder: string, cwd: string): Promise<{ readonly stdout: string; readonly code: number | string }> {
  const tsc = join(cwd, "node_modules/.bin/tsc");
  return new Promise((done) => {
    execFile(tsc, ["-p", folder, "--pretty", "false"], { cwd, encoding: "utf8" }, (error, stdout) =>
      done({ stdout, code: error === null ? 0 : (error.code ?? String(error.signal)) }),
    );
  });
}
