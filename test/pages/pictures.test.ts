// The pictures of terminals and of the dashboard are files: what they show is held against the code.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { outriggerCalls, pages, ROOT, textOf } from "./code-blocks.ts";
import { unknownWords } from "./unknown-words.ts";

const ALL = pages().map(textOf).join("\n");
const TERMINALS = readdirSync(join(ROOT, "docs/images/terminal"));
const pictureOf = (path: string) => readFileSync(join(ROOT, "docs/images", path), "utf8");

describe("the pictures of terminals", () => {
  it.each(TERMINALS)("%s is shown on a page, in words too", (file) => {
    expect(ALL).toMatch(new RegExp(`!\\[[^\\]]{20,}\\]\\([./]*(docs/)?images/terminal/${file}\\)`));
  });

  it.each(TERMINALS)("%s types commands and options that exist", (file) => {
    const typed = [
      ...pictureOf(`terminal/${file}`).matchAll(/<tspan class="p">\$ <\/tspan><tspan class="b">(.*?)<\/tspan>/g),
    ];
    const text = typed.map(([, command = ""]) => command.replaceAll("&quot;", '"')).join("\n");
    const calls = outriggerCalls({ language: "sh", marks: [], details: "", text, line: 1 });
    expect(calls.length).toBeGreaterThan(0);
    expect(calls).toHaveLength(typed.length);
    for (const call of calls) expect(unknownWords(call), call.join(" ")).toEqual([]);
  });
});

describe("the picture of the dashboard", () => {
  it("has the widgets of infra/dashboard.yml as they are now", () => {
    const shown = [...pictureOf("dashboard.svg").matchAll(/<text class="t"[^>]*>([^<]*)</g)].map(([, title]) => title);
    const definition = readFileSync(join(ROOT, "infra/dashboard.yml"), "utf8");
    const titles = [...definition.matchAll(/"properties": \{ "title": "([^"]*)"/g)].map(([, title = ""]) => title);
    expect(titles.length).toBeGreaterThan(10);
    expect(shown).toEqual(titles.map((title) => title.replaceAll("&", "&amp;").replaceAll("<", "&lt;")));
    expect(ALL).toContain("images/dashboard.svg)");
  });
});
