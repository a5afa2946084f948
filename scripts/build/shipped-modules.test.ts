import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shippedModules } from "./shipped-modules.ts";

describe("shippedModules()", () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "outrigger-shipped-"));
    cpSync("templates", directory, { recursive: true });
    rmSync(join(directory, "samples"), { recursive: true });
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const made = async () => {
    const modules = shippedModules(directory);
    const texts = () => Promise.all(Object.values(modules).map((make) => make()));
    const first = await texts();
    writeFileSync(join(directory, "values/90-edit.yaml"), "global: {hub: elsewhere.example}\n");
    return { first, again: await texts() };
  };

  it("compiles a tree once for all bundles, and another tree to another release", async () => {
    const { first, again } = await made();
    expect(again).toEqual(first);
    const edited = await made();
    for (const index of [0, 1, 2]) expect(edited.first[index]).not.toBe(first[index]);
    for (const index of [1, 2]) expect(edited.first[index]).toContain("elsewhere.example");
  });
});
