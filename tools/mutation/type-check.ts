// Whether TypeScript takes a mutant. One that it refuses can be in no commit, so that no test has to notice it.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Mutant } from "./mutants.ts";

/**
 * Checks the mutated file alone, with what it imports as it is. Unused names do not count: a fault may leave some.
 *
 * @param root of the project, where its tsconfig.json is
 * @throws Error where the compiler itself fails
 */
export function hasTypes({ file, code }: Pick<Mutant, "file" | "code">, root: string): boolean {
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
      include: [],
      files: [file],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const { stdout, status, error } = spawnSync("npx", ["tsc", "-p", folder, "--pretty", "false"], {
      cwd: root,
      encoding: "utf8",
    });
    if (error !== undefined) throw error;
    if (status !== 0 && !stdout.includes("error TS")) throw new Error(`tsc ended with code ${status}: ${stdout}`);
    return status === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
