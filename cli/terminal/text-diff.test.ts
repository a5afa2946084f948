import { describe, expect, it } from "vitest";
import { entryDiffs, textDiff, treeDiff } from "./text-diff.ts";

describe("textDiff()", () => {
  const diff = (before: string | undefined, after: string | undefined) =>
    textDiff({ name: "old", text: before }, { name: "new", text: after });

  it("is empty where the texts are the same, or there is none", () => {
    expect(diff("a\n", "a\n")).toBe("");
    expect(diff(undefined, undefined)).toBe("");
  });

  it("shows what changes as git does, with three lines around it", () => {
    const lines = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
    const text = (changed: string) => `${lines.map((line) => (line === "5" ? changed : line)).join("\n")}\n`;
    expect(diff(text("5"), text("five"))).toBe(
      "--- old\n+++ new\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
    );
  });

  it("tells a text that is not there from an empty one", () => {
    expect(diff(undefined, "a\n")).toBe("--- /dev/null\n+++ new\n@@ -0,0 +1,1 @@\n+a\n");
    expect(diff("a\n", undefined)).toBe("--- old\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n");
    expect(diff(undefined, "")).toBe("--- /dev/null\n+++ new\n");
    expect(diff("", undefined)).toBe("--- old\n+++ /dev/null\n");
  });

  it("prints nothing that steers a terminal", () => {
    expect(diff("a\n", "\u001b[2Jb\n")).toContain("+?[2Jb\n");
  });
});

describe("treeDiff() and entryDiffs()", () => {
  const before = { name: "dev:source", tree: { config: "a\n", "values/a": "x\n", "values/b": "same\n" } };
  const after = { name: "mine", tree: { config: "b\n", "values/b": "same\n", "values/c": "y\n" } };

  it("show the entries that differ, by their paths below the names of the trees", () => {
    expect(entryDiffs(before, after).map(({ path }) => path)).toEqual(["config", "values/a", "values/c"]);
    const text = treeDiff(before, after);
    expect(text.match(/^(?:---|\+\+\+) .*$/gm)).toEqual([
      ...["--- dev:source/config", "+++ mine/config", "--- dev:source/values/a", "+++ /dev/null"],
      ...["--- /dev/null", "+++ mine/values/c"],
    ]);
    expect(treeDiff(before, before)).toBe("");
  });

  it("show those alone that are named", () => {
    expect(entryDiffs(before, after, ["values/c", "values/b"]).map(({ path }) => path)).toEqual(["values/c"]);
    expect(treeDiff(before, after, ["values/c"])).toBe("--- /dev/null\n+++ mine/values/c\n@@ -0,0 +1,1 @@\n+y\n");
    expect(treeDiff(before, after, [])).toBe("");
  });
});
