// `npm run site -- --help` prints the options. Builds the site from README.md, docs/ and the packages' pages into dist/site. The generator is no dependency of the project: it is
// installed once into .runtime/site, as scripts/site/package.json says.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { readPackages } from "../test/scaffold/packages.ts";
import { toolOptions } from "../tools/support/tool-options.ts";
import { projectRoot } from "./build/bundled-release.ts";
import { groupOf } from "./site/page-kinds.ts";
import { findOutsideRequests, sitePage, titleOf } from "./site/site-page.ts";
import { TRANSLATIONS, translatedPath } from "./site/translations.ts";

const HOME = join(projectRoot, ".runtime", "site");
const SOURCE = join(HOME, "pages");
const OUT = join(projectRoot, "dist", "site");

const { report } = toolOptions({
  command: "npm run site --",
  says: "Builds the site from the pages into dist/site. Exits 1 where a page links to nothing, or loads something from elsewhere.",
  options: {
    report: { type: "string", value: "FILE", says: "write how many checks passed and failed to this file, as JSON" },
  },
  example: "npm run site -- --report report.json",
});

installGenerator();
writePages();
// A page that links to nothing ends the build.
const generator = join(HOME, "node_modules/vitepress/bin/vitepress.js");
execFileSync(process.execPath, [generator, "build", SOURCE, "--outDir", OUT], {
  cwd: HOME,
  stdio: ["ignore", "inherit", "inherit"],
});

const built = readdirSync(OUT, { recursive: true, encoding: "utf8" });
const outside = findOutsideRequests(OUT);
for (const { file, url } of outside) console.error(`${file} loads ${url}`);
if (outside.length > 0) process.exitCode = 1;
else console.log(`${built.length} files in dist/site; no dead link, and nothing loaded from elsewhere`);

// Counted as tests are: each page, and the requests to elsewhere.
if (report !== undefined) {
  const numFailedTests = outside.length > 0 ? 1 : 0;
  const numPassedTests = built.filter((file) => file.endsWith(".html")).length + 1 - numFailedTests;
  writeFileSync(report, JSON.stringify({ numPassedTests, numFailedTests }));
}

function installGenerator(): void {
  mkdirSync(HOME, { recursive: true });
  const wanted = readFileSync(join(projectRoot, "scripts/site/package.json"), "utf8");
  const installed = join(HOME, "node_modules", "installed.json");
  if (existsSync(installed) && readFileSync(installed, "utf8") === wanted) return;
  writeFileSync(join(HOME, "package.json"), wanted);
  const npm = ["install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"];
  execFileSync("npm", npm, { cwd: HOME, stdio: ["ignore", "inherit", "inherit"] });
  writeFileSync(installed, wanted);
}

function writePages(): void {
  rmSync(SOURCE, { recursive: true, force: true });
  const files = new Map([
    ["README.md", "index.md"],
    ["CONTRIBUTING.md", "contributing/index.md"],
  ]);
  for (const [tag, { pages }] of Object.entries(TRANSLATIONS))
    if (pages.includes("README.md")) files.set(translatedPath("README.md", tag), `${tag}/index.md`);
  for (const file of readdirSync(join(projectRoot, "docs"), { recursive: true, encoding: "utf8" })) {
    const path = file.replaceAll("\\", "/");
    if (path.endsWith(".md")) files.set(`docs/${path}`, path.replace(/(^|\/)README\.md$/, "$1index.md"));
  }
  for (const folder of [...readPackages(projectRoot).map((each) => each.folder), "infra/chart", "infra/terraform"])
    files.set(`${folder}/README.md`, `packages/${posix.basename(folder)}.md`);
  const titles: Record<string, string> = {};
  const kinds: Record<string, string[]> = {};
  for (const [file, target] of files) {
    const text = readFileSync(join(projectRoot, file), "utf8");
    const page = target.replace(/\.md$/, "");
    titles[page] = titleOf(text);
    const group = groupOf(file, text);
    if (group !== undefined) kinds[group] = [...(kinds[group] ?? []), page];
    write(target, sitePage(text, file, files));
  }
  const settings = JSON.stringify(join(projectRoot, "scripts/site/site-config.ts"));
  write(
    ".vitepress/config.ts",
    `import { siteConfig } from ${settings};\nexport default siteConfig(${JSON.stringify({ titles, tasks: taskPages(), kinds })});\n`,
  );
  const images = join(projectRoot, "docs/images");
  if (existsSync(images)) cpSync(images, join(SOURCE, "images"), { recursive: true });
}

/** Returns the pages of tasks in the order of the list in docs/tasks/README.md, whose text above the list may link to one of them too. */
function taskPages(): readonly string[] {
  const text = readFileSync(join(projectRoot, "docs/tasks/README.md"), "utf8");
  return [...text.matchAll(/^- \[[^\]]*\]\(([^)#]+)\.md/gm)].map(([, page = ""]) => posix.join("tasks", page));
}

function write(target: string, text: string): void {
  const path = join(SOURCE, posix.normalize(target));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
