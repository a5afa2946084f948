// The functions of the last release, built from git with that release's own code, for tests of what two versions make of one store.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { filesAt, lastRelease, linkPackages } from "../../scripts/build/last-release.ts";

/** What a function is built from: the packages, and what compiles the shipped tree and bundles. */
const BUILT_FROM = /^(?:cli|functions|lib|scripts|templates|tools\/support)\/|^(?:package|tsconfig)\.json$/;

/** Where the code that bundles functions is, in one release or another. */
const BUNDLERS = ["scripts/build/build-bundles.ts", "scripts/build-bundles.ts"];

/** The last release as git knows it, or undefined without a history: in a shallow clone, or an archive. */
export const released = lastRelease(projectRoot);

/**
 * Builds functions of the last release.
 *
 * @param directory below the project, whose dependencies they are built with; it is emptied first
 * @returns the path of a function's bundle, by its name
 */
export function buildReleased(names: readonly string[], directory: string): (name: string) => string {
  const root = join(projectRoot, directory);
  rmSync(root, { recursive: true, force: true });
  for (const [path, text] of filesAt(projectRoot, released?.commit ?? "", (path) => BUILT_FROM.test(path))) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  linkPackages(root);
  const bundler = BUNDLERS.find((path) => existsSync(join(root, path)));
  const code = `const { buildFunction } = await import("./${bundler}"); for (const name of ${JSON.stringify(names)}) await buildFunction(name);`;
  execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", code], { cwd: root, stdio: "pipe" });
  return (name) => join(root, `dist/functions/${name}/index.cjs`);
}
