import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readExamples, readExampleTrees } from "./examples.ts";

const README = "# A title \n\nWhat it is for,\n  and why.\n\nMore.\n";

let directory: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "outrigger-examples-")));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function put(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
}

describe("readExamples()", () => {
  it("reads each folder in the order of its name, and its files in the order of their paths", async () => {
    put({ "b/README.md": README, "b/values/z.yaml": "z: 1\n", "b/tests/a/case.yaml": "c", "b/config.yaml": "x: 1\n" });
    put({ "a-b/README.md": "# Other\n\nText", "a/README.md": "# First\n\nText", "index.md": "of no example" });
    const examples = await readExamples(directory);
    expect(examples.map(({ name, title, summary }) => [name, title, summary])).toEqual([
      ["a", "First", "Text"],
      ["a-b", "Other", "Text"],
      ["b", "A title", "What it is for, and why."],
    ]);
    expect(examples[2]?.tree).toEqual({ config: "x: 1\n", "values/z": "z: 1\n" });
    expect(Object.entries(examples[2]?.files ?? {})).toEqual([
      ["README.md", README],
      ["config.yaml", "x: 1\n"],
      ["tests/a/case.yaml", "c"],
      ["values/z.yaml", "z: 1\n"],
    ]);
  });

  it("orders the files of a folder with those next to it by path", async () => {
    put({
      "a/README.md": README,
      "a/tests/case.yaml": "c",
      "a/tests.md": "t",
      "a/values/z.yaml": "z: 1\n",
      "a/x.md": "x",
    });
    const [example] = await readExamples(directory);
    expect(Object.keys(example?.files ?? {})).toEqual([
      "README.md",
      "tests.md",
      "tests/case.yaml",
      "values/z.yaml",
      "x.md",
    ]);
  });

  it.each([
    ["no README.md", undefined],
    ["an empty one", ""],
    ["no heading", "Text\n\nMore\n"],
    ["a heading of the second level", "## Title\n\nText\n"],
    ["no paragraph", "# Title\n"],
    ["a paragraph in the heading's place", "# Title\nText\n"],
  ])("rejects an example with %s, and names its file", async (_what, readme) => {
    put({ "a/config.yaml": "x: 1\n", ...(readme !== undefined && { "a/README.md": readme }) });
    const path = join(directory, "a/README.md");
    await expect(readExamples(directory)).rejects.toMatchObject({
      code: "tree-invalid",
      message: `Cannot read ${path}: it must begin with a heading and a paragraph`,
      path,
    });
  });
});

describe("readExampleTrees()", () => {
  it("leaves out the files", async () => {
    put({ "a/README.md": README, "a/config.yaml": "x: 1\n" });
    expect(await readExampleTrees(directory)).toEqual([
      { name: "a", title: "A title", summary: "What it is for, and why.", tree: { config: "x: 1\n" } },
    ]);
  });
});
