// Copies of the checkout, in which a test may build: the checkout's own dist/ is left alone, as other tests run meanwhile.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../../scripts/build/bundled-release.ts";

/** The names that git does not keep, and that are made again. */
const LEFT_OUT: readonly string[] = [
  "node_modules",
  "dist",
  "coverage",
  ".git",
  ".runtime",
  ".serverless",
  ".outrigger",
];

/** Below the project, as its packages are linked into the copy: files of two file systems cannot be. */
export const copiesFolder = join(projectRoot, ".runtime");

/** Copies the checkout, without anything that was ever built in it, to a folder that does not exist. */
export function copyCheckout(copy: string): void {
  // Entry by entry: a folder is not copied into itself.
  for (const entry of readdirSync(projectRoot).filter((each) => !LEFT_OUT.includes(each)))
    cpSync(join(projectRoot, entry), join(copy, entry), { recursive: true });
  // Without the caches of tools, which may be at work.
  const modules = readdirSync(join(projectRoot, "node_modules")).filter((each) => !/^\.(?!bin$)/.test(each));
  mkdirSync(join(copy, "node_modules"));
  execFileSync("cp", ["-al", ...modules, join(copy, "node_modules")], { cwd: join(projectRoot, "node_modules") });
}
