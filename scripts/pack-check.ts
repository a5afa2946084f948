// `npm run pack:check`: packs two copies of this checkout, at the same time: one in which another version was built before, one in
// which nothing was ever built. Fails where the two tarballs differ: then a published package would depend on who built it, and
// after what. The checkout's own dist/ is left alone, so that other checks may run meanwhile.
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "./build/bundled-release.ts";
import { tryLibraries } from "./libraries/try-libraries.ts";

/** What git does not keep, and what is made anew. */
const LEFT_OUT: readonly string[] = [
  "node_modules",
  "dist",
  "coverage",
  ".git",
  ".runtime",
  ".serverless",
  ".outrigger",
];

const place = join(projectRoot, ".runtime");
mkdirSync(place, { recursive: true });
const folder = mkdtempSync(join(place, "pack-"));
try {
  const [used, fresh] = [copyOf("used"), copyOf("fresh")];
  // What an earlier build of another version may have left behind.
  for (const name of ["studio/stale.js", "deploy/artifacts/stale.zip", "cli/stale.mjs", "outrigger.mjs"]) {
    mkdirSync(join(used, "dist", name, ".."), { recursive: true });
    writeFileSync(join(used, "dist", name), "");
  }
  const [one, other] = await Promise.all([packed(used, join(folder, "one")), packed(fresh, join(folder, "other"))]);
  const description: { readonly repository?: unknown } = JSON.parse(
    readFileSync(join(projectRoot, "package.json"), "utf8"),
  );
  if (description.repository === undefined)
    console.log("package.json has no repository: set it when the project has a public address (CONTRIBUTING.md)");
  console.log(`${one.digest}  ${one.file}, ${(one.bytes / 1024).toFixed(0)} KB`);
  if (one.digest !== other.digest) {
    console.error(`The package depends on where it is made: a copy without earlier builds gives ${other.digest}`);
    process.exitCode = 1;
  }
  for (const line of await tryLibraries()) console.log(line);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Entry by entry: a folder is not copied into itself. */
function copyOf(name: string): string {
  const copy = join(folder, name);
  for (const entry of readdirSync(projectRoot).filter((each) => !LEFT_OUT.includes(each)))
    cpSync(join(projectRoot, entry), join(copy, entry), { recursive: true });
  // Without the caches of tools, which may be at work.
  const modules = readdirSync(join(projectRoot, "node_modules")).filter((each) => !/^\.(?!bin$)/.test(each));
  mkdirSync(join(copy, "node_modules"));
  execFileSync("cp", ["-al", ...modules, join(copy, "node_modules")], { cwd: join(projectRoot, "node_modules") });
  return copy;
}

async function packed(project: string, destination: string) {
  mkdirSync(destination);
  const words = ["pack", "--silent", "--pack-destination", destination];
  const { stdout } = await promisify(execFile)("npm", words, { cwd: project, encoding: "utf8" });
  const file = stdout.trim().split("\n").at(-1) ?? "";
  const content = readFileSync(join(destination, file));
  return { file, bytes: content.length, digest: createHash("sha256").update(content).digest("hex") };
}
