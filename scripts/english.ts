// `npm run english`: fails where code, configuration or a page for readers has an idiom that a native technical writer would
// not use. The table is scripts/english/idioms.ts.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "./bundled-release.ts";
import { findIdioms } from "./english/find-idioms.ts";

/** What is read: names of files, as git knows them. */
const READ = ["*.ts", "*.cjs", "*.yml", "*.hbs", ".ci/*", "README.md", "CONTRIBUTING.md", "test/reference/README.md"];

/** Left out for good: the table of idioms itself and its test, and output that `test:deploy` compares. */
const EXEMPT: readonly string[] = ["scripts/english", "test/infra/golden/"];

/** `door` is a member of a measured case: a name in data, not a word of ours. */
const MEMBER_NAMES = /(?<=[.`"])door\b|\bdoor(?=[,:)]| \})|\bdoor (?=[!=]==|is \$)/g;

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...READ], {
  cwd: projectRoot,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && !EXEMPT.some((folder) => file.startsWith(folder)));
const findings = files.flatMap((file) => findIdioms(textOf(file)).map((finding) => ({ file, ...finding })));

for (const { file, line, found, instead } of findings) console.log(`${file}:${line}: "${found}": write ${instead}`);
process.exitCode = findings.length === 0 ? 0 : 1;

function textOf(file: string): string {
  const text = readFileSync(join(projectRoot, file), "utf8");
  return /^test\/(apiserver|conformance|golden|reference)\//.test(file) ? text.replace(MEMBER_NAMES, "") : text;
}
