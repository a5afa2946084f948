// `npm run pack:check`: packs this checkout as it is, and a second copy of it elsewhere in which nothing was ever built. Fails where
// the two tarballs differ: then a published package would depend on who built it, and after what.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "./bundled-release.ts";

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
  // What an earlier build of another version may have left behind.
  mkdirSync(join(projectRoot, "dist/studio"), { recursive: true });
  mkdirSync(join(projectRoot, "dist/deploy/artifacts"), { recursive: true });
  writeFileSync(join(projectRoot, "dist/studio/stale.js"), "");
  writeFileSync(join(projectRoot, "dist/deploy/artifacts/stale.zip"), "");
  const second = join(folder, "second");
  // Entry by entry: a folder is not copied into itself.
  for (const name of readdirSync(projectRoot).filter((entry) => !LEFT_OUT.includes(entry)))
    cpSync(join(projectRoot, name), join(second, name), { recursive: true });
  execFileSync("cp", ["-al", join(projectRoot, "node_modules"), join(second, "node_modules")]);
  const [one, other] = [packed(projectRoot, join(folder, "one")), packed(second, join(folder, "other"))];
  const description: { readonly repository?: unknown } = JSON.parse(
    readFileSync(join(projectRoot, "package.json"), "utf8"),
  );
  if (description.repository === undefined)
    console.log("package.json has no repository: set it when the project has a public address (CONTRIBUTING.md)");
  console.log(`${one.digest}  ${one.file}, ${(one.bytes / 1024).toFixed(0)} KB`);
  if (one.digest !== other.digest) {
    console.error(`The package depends on where it is made: a second copy gives ${other.digest}`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function packed(project: string, destination: string) {
  mkdirSync(destination);
  const words = ["pack", "--silent", "--pack-destination", destination];
  const file = execFileSync("npm", words, { cwd: project, encoding: "utf8" }).trim().split("\n").at(-1) ?? "";
  const content = readFileSync(join(destination, file));
  return { file, bytes: content.length, digest: createHash("sha256").update(content).digest("hex") };
}
