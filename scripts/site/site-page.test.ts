import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeBlocks, pages, ROOT, textOf } from "../../test/pages/code-blocks.ts";
import { siteConfig } from "./site-config.ts";
import { diagramName, findOutsideRequests, sitePage, titleOf } from "./site-page.ts";

const FILES = new Map([
  ["README.md", "index.md"],
  ["docs/cli.md", "cli.md"],
  ["docs/tasks/README.md", "tasks/index.md"],
  ["docs/tasks/pipeline.md", "tasks/pipeline.md"],
]);

describe("sitePage()", () => {
  it.each([
    ["README.md", "[a](docs/cli.md#x)", "[a](./cli.md#x)"],
    ["docs/tasks/pipeline.md", "[`a`](../cli.md)", "[`a`](../cli.md)"],
    ["docs/tasks/pipeline.md", "[a](README.md) [b](pipeline.md)", "[a](./index.md) [b](./pipeline.md)"],
    ["docs/cli.md", "[the shipped tree](../templates)", "the shipped tree"],
    ["docs/cli.md", "[a](https://example.com) [b](#here)", "[a](https://example.com) [b](#here)"],
    ["docs/cli.md", "{{x}} `{{x}}`", "&#123;&#123;x}} `{{x}}`"],
    ["README.md", "![a](docs/images/a.png)", "![a](./images/a.png)"],
    ["docs/cli.md", "```sh\necho '[a](../templates)'\n```", "```sh\necho '[a](../templates)'\n```"],
  ])("in %s makes %s to %s", (file, text, made) => {
    expect(sitePage(text, file, FILES)).toBe(made);
  });

  it("puts the picture of a diagram in its place", () => {
    const diagram = "flowchart LR\n  a --> b\n";
    expect(sitePage(`\`\`\`mermaid\n${diagram}\`\`\``, "docs/tasks/pipeline.md", FILES)).toBe(
      `![diagram](../images/diagrams/${diagramName(diagram)}.svg)`,
    );
  });
});

describe("the settings of the site", () => {
  it("keeps braces in inline code from the generator", () => {
    const { markdown } = siteConfig({ titles: {}, tasks: [], kinds: {} });
    const rules: Parameters<typeof markdown.config>[0]["renderer"]["rules"] = {};
    markdown.config({ renderer: { rules }, utils: { escapeHtml: (text) => text.replace("<", "&lt;") } });
    expect(rules["code_inline"]?.([{ content: "{{/if}} <b>" }], 0)).toBe("<code v-pre>{{/if}} &lt;b></code>");
  });
});

describe("the pages", () => {
  it("have a picture of each diagram as it is now: node --import tsx scripts/site/draw-diagrams.ts", () => {
    const diagrams = pages().flatMap((page) =>
      codeBlocks(textOf(page)).filter(({ language }) => language === "mermaid"),
    );
    expect(diagrams.length).toBeGreaterThan(3);
    for (const { text } of diagrams)
      expect(existsSync(join(ROOT, `docs/images/diagrams/${diagramName(text)}.svg`)), text).toBe(true);
  });

  it("are in the list of tasks once each", () => {
    const list = textOf("docs/tasks/README.md").matchAll(/^- \[[^\]]*\]\(([^)#]+)\)/gm);
    const tasks = readdirSync(join(ROOT, "docs/tasks")).filter((file) => file !== "README.md");
    expect([...list].map(([, file]) => file).sort()).toEqual(tasks.sort());
  });

  it("begin with a heading, which is their title", () => {
    for (const page of pages()) expect(titleOf(textOf(page)), page).not.toBe("");
  });
});

describe("findOutsideRequests()", () => {
  it("finds what a page would load, and no link that a reader may follow", () => {
    const folder = join(ROOT, "scripts/site/test-pages");
    expect(findOutsideRequests(folder).map(({ url }) => url)).toEqual([
      "https://cdn.example/a.js",
      "//cdn.example/a.png",
      "https://cdn.example/a.css",
      "https://cdn.example/a.woff2",
    ]);
  });
});
