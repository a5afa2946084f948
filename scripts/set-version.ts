// `npm run version:set 1.2.3`: one version for the command, the libraries and the chart, and in the pages that name the tarball.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "./bundled-release.ts";

const [version = ""] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) throw new Error("Name the version: npm run version:set 1.2.3");

for (const folder of [".", ...readdirSync(join(projectRoot, "lib")).map((name) => `lib/${name}`), "cli", "studio"]) {
  rewrite(`${folder}/package.json`, (text) =>
    text
      .replace(/^( {2}"version": )"[^"]+"/m, `$1"${version}"`)
      .replaceAll(/^( {4}"@outrigger\/[\w-]+": )"[^"]+"/gm, `$1"${version}"`),
  );
}
rewrite("infra/chart/Chart.yaml", (text) => text.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`));
for (const page of ["tasks/install.md", "tasks/pipeline.md"].flatMap((name) => [
  `docs/${name}`,
  `docs/zh-CN/${name}`,
])) {
  rewrite(page, (text) => text.replaceAll(/outrigger-\d+\.\d+\.\d+(?:-[\w.]+)?\.tgz/g, `outrigger-${version}.tgz`));
}
execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts"], { cwd: projectRoot, stdio: "inherit" });

function rewrite(file: string, change: (text: string) => string): void {
  const path = join(projectRoot, file);
  writeFileSync(path, change(readFileSync(path, "utf8")));
}
