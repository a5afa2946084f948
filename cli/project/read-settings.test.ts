import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readSettings } from "./read-settings.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "outrigger-settings-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("readSettings() reads the stage's own file, as a deploy takes its values", async () => {
  writeFileSync(join(folder, "outrigger.live.yml"), "a: 1\nb: [x, z]\nc: off\nd: on\ne:\nf: ''\n");
  writeFileSync(join(folder, "outrigger.dev.yml"), "a: 2\n");
  const setting = await readSettings(folder, "live", []);
  expect(["a", "b", "c", "d", "e", "f", "g", "toString"].map(setting)).toEqual([
    "1",
    "x,z",
    "off",
    "on",
    undefined,
    "",
    undefined,
    undefined,
  ]);
});

it("readSettings() prefers what the command line says", async () => {
  writeFileSync(join(folder, "outrigger.live.yml"), "a: 1\nb: 2\n");
  const setting = await readSettings(folder, "live", ["a=x=y", "c="]);
  expect(["a", "b", "c"].map(setting)).toEqual(["x=y", "2", ""]);
});

it("readSettings() has no settings where there is no file, or it cannot be read: the deploy says that", async () => {
  expect((await readSettings(folder, "live", []))("a")).toBeUndefined();
  writeFileSync(join(folder, "outrigger.live.yml"), "a: [\n");
  expect((await readSettings(folder, "live", ["b=1"]))("a")).toBeUndefined();
  writeFileSync(join(folder, "outrigger.live.yml"), "- a\n");
  expect((await readSettings(folder, "live", []))("0")).toBeUndefined();
});
