import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { directoryOf, directoryTree, shippedTree } from "./read-trees.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "outrigger-read-trees-"));
});
afterEach(() => rmSync(home, { recursive: true }));

it("directoryTree() is empty for a directory that is not made yet, and reads any other", async () => {
  expect(await directoryTree(join(home, "none"))).toEqual({});
  mkdirSync(join(home, "tree"));
  expect(await directoryTree(join(home, "tree"))).toEqual({});
  writeFileSync(join(home, "tree/mesh.yaml"), "a: 1\n");
  expect(await directoryTree(join(home, "tree"))).toEqual({ mesh: "a: 1\n" });
});

it("directoryTree() refuses what cannot be read, or leaves out what does not belong there", async () => {
  writeFileSync(join(home, "file"), "");
  await expect(directoryTree(join(home, "file/tree"))).rejects.toThrow("file/tree");
  mkdirSync(join(home, "tree"));
  writeFileSync(join(home, "tree/mesh.yaml"), "a: 1\n");
  writeFileSync(join(home, "tree/odd.txt"), "");
  await expect(directoryTree(join(home, "tree"))).rejects.toThrow("odd.txt");
  const left: string[] = [];
  expect(await directoryTree(join(home, "tree"), ({ message }) => left.push(message))).toEqual({ mesh: "a: 1\n" });
  expect(left).toEqual([expect.stringContaining("odd.txt")]);
});

it("directoryOf() is the directory that is named, or the one that the command runs in", () => {
  const io = fakeIo({ cwd: home });
  expect([directoryOf(undefined, io), directoryOf("tree", io), directoryOf("/else", io)]).toEqual([
    home,
    join(home, "tree"),
    "/else",
  ]);
});

it("shippedTree() is the tree that comes with the tool", async () => {
  writeFileSync(join(home, "config.yaml"), "policy: enabled\n");
  expect(await shippedTree(fakeIo({ templates: home }))).toEqual({ config: "policy: enabled\n" });
});
