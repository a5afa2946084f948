// Holds the commands that the docs tell people to run: every one names its stage, and no page sets for one deploy what is
// meant to stay.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SETTINGS } from "../../infra/settings/schema.ts";

const PAGES = [
  "README.md",
  ...readdirSync("docs")
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];
const commands = PAGES.flatMap((page) => {
  const text = readFileSync(page, "utf8").replaceAll("\\\n", " ");
  const found = [...text.matchAll(/(?:^(?:npx )?|`)outrigger (?:un)?deploy(?: -[^`\n]*|$)/gm)];
  return found.map(([command]) => ({ page, command }));
});

describe("commands in the docs", () => {
  it("name their stage", () => {
    expect(commands.length).toBeGreaterThan(8);
    expect(commands.filter(({ command }) => !/ --stage \S/.test(command))).toEqual([]);
  });

  it("leave settings to the file of the stage", () => {
    expect(commands.filter(({ command }) => command.includes("--param"))).toEqual([]);
  });

  it("know every setting that a --param names", () => {
    const names = new Set(SETTINGS.map(({ name }) => name));
    const used = PAGES.flatMap((page) =>
      [...readFileSync(page, "utf8").matchAll(/--param (\w+)=/g)].map(([, name]) => name ?? ""),
    );
    expect(used.filter((name) => !names.has(name) && name !== "NAME")).toEqual([]);
  });
});
