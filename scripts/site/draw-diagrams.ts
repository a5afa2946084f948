// `node --import tsx scripts/site/draw-diagrams.ts --help` prints the options. Draws the pages' Mermaid diagrams into docs/images/diagrams, with Mermaid in a Chromium. Only this
// needs either of them: the pictures are kept, under names made of their text, and a test fails where one is missing.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { codeBlocks, pages, textOf } from "../../test/pages/code-blocks.ts";
import { toolOptions } from "../../tools/support/tool-options.ts";
import { projectRoot } from "../build/bundled-release.ts";
import { diagramName } from "./site-page.ts";

/** The global that Mermaid's script defines in the page. */
declare const mermaid: {
  initialize(options: object): void;
  render(id: string, text: string): Promise<{ readonly svg: string }>;
};

const MERMAID = "12.3.0";
const PICTURES = join(projectRoot, "docs/images/diagrams");
const BROWSER = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

toolOptions({
  command: "node --import tsx scripts/site/draw-diagrams.ts",
  says: "Draws the pages' Mermaid diagrams into docs/images/diagrams, in place of those that are there. Needs a Chromium.",
  example: "CHROMIUM=/usr/bin/chromium node --import tsx scripts/site/draw-diagrams.ts",
});
const executablePath = BROWSER.find((path) => path !== undefined && existsSync(path));
if (executablePath === undefined) throw new Error("There is no Chromium: set CHROMIUM to one");
const script = readFileSync(join(fetchMermaid(), "dist/mermaid.min.js"), "utf8");
const diagrams = new Set(
  pages().flatMap((page) =>
    codeBlocks(textOf(page))
      .filter(({ language }) => language === "mermaid")
      .map(({ text }) => text),
  ),
);

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-background-networking"] });
const tab = await browser.newPage();
await tab.setContent("<!doctype html><body></body>");
await tab.addScriptTag({ content: script });
mkdirSync(PICTURES, { recursive: true });
for (const file of readdirSync(PICTURES)) rmSync(join(PICTURES, file));
for (const diagram of diagrams) {
  const name = diagramName(diagram);
  const svg = await tab.evaluate(
    async ([text, id]) => {
      mermaid.initialize({ startOnLoad: false, theme: "neutral", htmlLabels: false, flowchart: { htmlLabels: false } });
      return (await mermaid.render(id as string, text as string)).svg;
    },
    [diagram, `d${name}`],
  );
  writeFileSync(join(PICTURES, `${name}.svg`), svg.replace('style="', 'style="background:#fff;'));
}
await browser.close();
console.log(`${diagrams.size} diagrams in docs/images/diagrams`);

function fetchMermaid(): string {
  const folder = join(projectRoot, ".runtime", `mermaid-${MERMAID}`);
  if (!existsSync(join(folder, "package"))) {
    mkdirSync(folder, { recursive: true });
    const tarball = execFileSync("npm", ["pack", `mermaid@${MERMAID}`, "--silent"], {
      cwd: folder,
      encoding: "utf8",
    }).trim();
    execFileSync("tar", ["-xzf", tarball], { cwd: folder });
  }
  return join(folder, "package");
}
