// `npm run release -- --help` prints the options. Runs without anything installed, as the release workflow prints the notes of a version.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { toolOptions } from "../tools/support/tool-options.ts";
import { releaseNotes } from "./release/changelog.ts";
import { prepareRelease, versionedFiles } from "./release/prepare-release.ts";

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const { command, version } = toolOptions({
  command: "npm run release --",
  says: "Prepares a release in the checkout, or prints the notes of one.",
  arguments: {
    command: {
      oneOf: ["prepare", "notes"],
      says: "make the checkout the version, and say what comes next; or print what the version changed",
    },
    version: { value: "VERSION", says: "such as 1.2.3" },
  },
  example: "npm run release -- prepare 1.2.3",
});
try {
  if (command === "prepare") prepare();
  else notes();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function prepare(): void {
  const changed = git("status", "--porcelain").map((line) => line.slice(3));
  const checkout = { folder, changed, tags: git("tag", "--list") };
  const written = prepareRelease(checkout, version, new Date().toISOString().slice(0, 10));
  console.log(`${written.length} files are version ${version}. Look at the difference, then:`);
  console.log(`  npm run ok && npm run test:deploy
  git commit --all --message "release: ${version}"
  git tag v${version} && git push origin HEAD v${version}
The workflow "release" publishes what the tag names, with these notes: npm run release -- notes ${version}`);
}

/**
 * Prints the notes of a tag. It refuses if the checkout is another version: the notes of a tag are those of what it
 * publishes.
 */
function notes(): void {
  for (const { path, versions } of versionedFiles(folder))
    for (const other of versions.filter((each) => each !== version))
      throw new Error(`Cannot print the notes of ${version}: ${path} is ${other}`);
  const { repository } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const address: string | undefined = repository?.url?.replace(/^git\+|\.git$/g, "");
  process.stdout.write(releaseNotes(readFileSync(join(folder, "CHANGELOG.md"), "utf8"), version, address));
}

function git(...words: readonly string[]): readonly string[] {
  const lines = execFileSync("git", words, { cwd: folder, encoding: "utf8" }).split("\n");
  return lines.filter((line) => line !== "");
}
