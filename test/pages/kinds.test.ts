// Each page is of one of four kinds, says who needs it, and can be reached.
// UPDATE_GOLDEN=1 npx vitest run --project unit test/pages/kinds writes docs/contents.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { groupOf, kindOf } from "../../scripts/site/page-kinds.ts";
import { titleOf } from "../../scripts/site/site-page.ts";
import { pages, ROOT, textOf } from "./code-blocks.ts";
import { clicksFrom } from "./page-clicks.ts";

const PAGES = pages();
const reached = clicksFrom("README.md", { pages: PAGES, textOf });
/** Whether a page says its kind. The pages of an example are part of a tree that people copy. */
const hasKind = (page: string) => page.startsWith("docs/") && !page.startsWith("docs/examples/");

describe("every page", () => {
  it.each(PAGES.filter(hasKind))("%s says its kind and who needs it", (page) => {
    expect(kindOf(textOf(page)), "*Task, for template authors.* below the title").toBeDefined();
  });

  it("says who needs it in the README too, above everything else", () => {
    expect(textOf("README.md")).toMatch(/^# .*\n\n.*\n\nFor teams that /);
  });

  it.each(PAGES)("%s can be reached from the README", (page) => {
    expect([...reached.keys()]).toContain(page);
  });
});

describe("docs/contents.md", () => {
  it("lists the pages by kind", () => {
    const file = join(ROOT, "docs/contents.md");
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, contents());
    expect(readFileSync(file, "utf8")).toBe(contents());
  });
});

function contents(): string {
  const groups = new Map<string, string[]>([["Tasks", []]]);
  for (const page of PAGES) {
    const text = textOf(page);
    const group = /^docs\/tasks\/(?!README)/.test(page) ? "Tasks" : groupOf(page, text);
    if (group === undefined || page === "docs/contents.md" || /\/adr\/\d/.test(page)) continue;
    const line = `- [${titleOf(text)}](${page.replace("docs/", "")}), for ${kindOf(text)?.reader}`;
    groups.set(group, [...(groups.get(group) ?? []), line]);
  }
  const lists = [...groups].map(([group, lines]) => `## ${group}\n\n${lines.join("\n")}\n`);
  return `# All pages\n\n<!-- Made by test/pages/kinds.test.ts -->\n\n*Reference, for everyone.*\n\n${lists.join("\n")}`;
}
