// CHANGELOG.md is for users: a change takes two lines at most, below its kind, and its links lead somewhere.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { changelogSections } from "../../scripts/release/changelog.ts";
import { anchorsOf, textOf } from "../pages/code-blocks.ts";

/** The kinds of changes in Keep a Changelog. */
const KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];

const text = readFileSync("CHANGELOG.md", "utf8");
const sections = changelogSections(text);

describe("CHANGELOG.md", () => {
  it("has [Unreleased] first, then versions with their dates, the newest first", () => {
    expect(sections[0]).toMatchObject({ version: "Unreleased", date: undefined });
    const dates = sections.slice(1).map(({ date = "" }) => date);
    for (const date of dates) expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(dates).toEqual(dates.toSorted().reverse());
  });

  it.each(sections)("has in $version each kind once, and changes of two lines at most", (section) => {
    const kinds = [...section.text.matchAll(/^### (.*)$/gm)].map(([, kind = ""]) => kind);
    expect(kinds.filter((kind, at) => !KINDS.includes(kind) || kinds.indexOf(kind) !== at)).toEqual([]);
    const changes = section.text.split(/^(?=- |#)/m).filter((part) => part.startsWith("- "));
    expect(changes.filter((change) => change.trimEnd().split("\n").length > 2)).toEqual([]);
    expect(changes.filter((change, at) => changes.indexOf(change) !== at)).toEqual([]);
    const others = section.text.split("\n").filter((line) => !/^(?:$|#{3,4} |- | {2}\S)/.test(line));
    expect(others).toEqual([]);
  });

  it("links to places that exist", () => {
    for (const [, file = "", anchor] of text.matchAll(/\]\((?!https?:)([^)#\s]+)(?:#([^)\s]+))?\)/g)) {
      expect(existsSync(file), file).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(textOf(file)), `${file}#${anchor}`).toContain(anchor);
    }
  });
});
