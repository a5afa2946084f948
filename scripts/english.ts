// `npm run english`: fails where code, configuration or a page for readers has an idiom that a native technical writer would
// not use. The table is scripts/english/idioms.ts.
import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "./build/bundled-release.ts";
import { findIdioms } from "./english/find-idioms.ts";

/** What is read, at any depth, and as whole paths. */
const READ = /\.(?:ts|tsx|cjs|yml|hbs|md)$|^\.ci\//;

/** Left out for good: the table of idioms itself and its test, and output that `test:deploy` compares. */
const EXEMPT: readonly string[] = ["scripts/english", "test/infra/golden/"];

/** `door` is a member of a measured case: a name in data, not a word of ours. */
const MEMBER_NAMES = /(?<=[.`"])door\b|\bdoor(?=[,:)]| \})|\bdoor (?=[!=]==|is \$)/g;

const files = projectFiles().filter((file) => !EXEMPT.some((folder) => file.startsWith(folder)));
const findings = files.flatMap((file) => findIdioms(textOf(file)).map((finding) => ({ file, ...finding })));

for (const { file, line, found, instead } of findings) console.log(`${file}:${line}: "${found}": write ${instead}`);
process.exitCode = findings.length === 0 ? 0 : 1;

/** Without what is installed, built or fetched: the folders that .gitignore names. A copy without git has files too. */
function projectFiles(): readonly string[] {
  const ignored = readFileSync(join(projectRoot, ".gitignore"), "utf8").split("\n");
  const folders = ignored.filter((line) => line.endsWith("/")).map((line) => line.slice(0, -1));
  const isKept = (entry: Dirent): boolean => entry.name !== ".git" && !folders.includes(entry.name);
  const walk = (folder: string): readonly string[] =>
    readdirSync(join(projectRoot, folder), { withFileTypes: true })
      .filter(isKept)
      .flatMap((entry) => (entry.isDirectory() ? walk(join(folder, entry.name)) : [join(folder, entry.name)]));
  return walk("").filter((file) => READ.test(file));
}

function textOf(file: string): string {
  const text = readFileSync(join(projectRoot, file), "utf8");
  return /^test\/(apiserver|conformance|golden|reference)\//.test(file) ? text.replace(MEMBER_NAMES, "") : text;
}
