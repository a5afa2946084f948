import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { outriggerCalls, pages, ROOT, textOf } from "../../test/pages/code-blocks.ts";
import { unknownWords } from "../../test/pages/unknown-words.ts";
import { SCENES } from "./scenes.ts";
import { escaped } from "./terminal-svg.ts";

const ALL = pages().map(textOf).join("\n");
const pictureOf = (path: string) => readFileSync(join(ROOT, "docs/images", path), "utf8");

describe("the pictures of terminals", () => {
  it.each(SCENES)("$name is shown on a page, in words too", ({ name, alt }) => {
    expect(existsSync(join(ROOT, `docs/images/terminal/${name}.svg`))).toBe(true);
    expect(ALL).toContain(`![${alt}](`);
    expect(ALL).toContain(`images/terminal/${name}.svg)`);
  });

  it.each(SCENES)(
    "$name shows the commands of its scene as they are now: npm run docs:pictures",
    ({ name, commands }) => {
      const picture = pictureOf(`terminal/${name}.svg`);
      for (const command of commands) expect(picture).toContain(`<tspan class="b">${escaped(command)}</tspan>`);
    },
  );

  it.each(SCENES)("$name types commands and options that exist", ({ commands }) => {
    const calls = outriggerCalls({ language: "sh", marks: [], text: commands.join("\n"), line: 1 });
    expect(calls).toHaveLength(commands.length);
    for (const call of calls) expect(unknownWords(call), call.join(" ")).toEqual([]);
  });
});

describe("the picture of the dashboard", () => {
  it("has the widgets of infra/dashboard.yml as they are now", () => {
    const shown = [...pictureOf("dashboard.svg").matchAll(/<text class="t"[^>]*>([^<]*)</g)].map(([, title]) => title);
    const definition = readFileSync(join(ROOT, "infra/dashboard.yml"), "utf8");
    const titles = [...definition.matchAll(/"properties": \{ "title": "([^"]*)"/g)].map(([, title = ""]) => title);
    expect(titles.length).toBeGreaterThan(10);
    expect(shown).toEqual(titles.map(escaped));
    expect(ALL).toContain("images/dashboard.svg)");
  });
});
