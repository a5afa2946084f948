// Inputs that once failed, with the seeds that made them. `npm run fuzz` adds to the file; `npm test` judges every one of
// them again, whether or not its generator would still make it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import type { Failure } from "./fuzz-target.ts";

/** The most characters of a fault that are kept. The rest is a stack. */
const LONGEST = 300;
const FILE = join(projectRoot, "tools/fuzz/known-failures.json");

export function knownFailures(): readonly Failure[] {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : [];
}

/** Failures that are known are not added twice. */
export function keepFailures(failures: readonly Failure[]): void {
  const known = knownFailures();
  const added = failures
    .filter(({ target, seed }) => !known.some((one) => one.target === target && one.seed === seed))
    .map((failure) => ({ ...failure, fault: failure.fault.replaceAll(`${projectRoot}/`, "").slice(0, LONGEST) }));
  if (added.length > 0) writeFileSync(FILE, `${JSON.stringify([...known, ...added], undefined, 1)}\n`);
}
