import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { setsIn } from "./case-sets.ts";

describe("setsIn()", () => {
  let root = "";
  const write = (file: string) => {
    const path = join(root, "cases", file);
    mkdirSync(dirname(path), { recursive: true });
    const parts = { config: {}, values: {}, environment: {}, request: { object: {} }, expect: {} };
    writeFileSync(path, JSON.stringify({ name: file, door: "webhook", ...parts }));
  };
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("reads the cases of a set in folders of folders", () => {
    root = mkdtempSync(join(tmpdir(), "outrigger-cases-"));
    for (const file of ["mine/a.json", "mine/deep/er/b.json", "other/c.json"]) write(file);
    const read = setsIn(root).map(({ name, cases }) => [name, cases.map((one) => one.name)]);
    expect(read).toEqual([
      ["mine", ["mine/a.json", "mine/deep/er/b.json"]],
      ["other", ["other/c.json"]],
    ]);
  });

  it("names the folder that has no cases", () => {
    root = mkdtempSync(join(tmpdir(), "outrigger-cases-"));
    mkdirSync(join(root, "cases/empty/inner"), { recursive: true });
    expect(() => setsIn(root)).toThrow("empty has none");
  });
});
