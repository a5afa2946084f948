// Cases that others wrote: in folders of folders, and with manifests that are no YAML.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { setsIn } from "./case-sets.ts";
import { kindsIn, outcomeOf } from "./cli-entry-point.ts";

const BAD_ESCAPE = 'kind: Pod\nmetadata: {name: "a\\qb"}\n';

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

describe("a manifest that is no YAML", () => {
  it("has no kinds, and does not end the run", () => {
    expect(kindsIn(BAD_ESCAPE)).toEqual([]);
    expect(kindsIn("kind: List\nitems: [{kind: Pod}]\n")).toEqual(["List", "Pod"]);
  });

  it("is what is refused, or a failure where the command prints it", () => {
    expect(outcomeOf({ code: 1, out: "", err: "no such escape" })).toMatchObject({ kind: "denied" });
    expect(outcomeOf({ code: 2, out: "", err: "usage" })).toMatchObject({ kind: "failed" });
    expect(outcomeOf({ code: 0, out: BAD_ESCAPE, err: "" })).toMatchObject({ kind: "failed" });
  });
});
