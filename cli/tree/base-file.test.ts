import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import type { Deployment } from "../connect/deployment.ts";
import { readBase, requireNotEmptied, writeBase } from "./base-file.ts";

const deployment = (place: string) =>
  ({ place: async () => place, target: { layout: fakeAws().layout } }) as unknown as Deployment;
const [DEV, PROD] = [deployment("111122223333/eu-west-1/"), deployment("111122223333/us-east-1/")];
const BASE = { config: "a".repeat(64) };

describe("readBase() and writeBase()", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "outrigger-base-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const file = () => join(directory, ".outrigger/base.json");
  const put = (text: string) => {
    mkdirSync(join(directory, ".outrigger"), { recursive: true });
    writeFileSync(file(), text);
  };

  it("know nothing of a directory that was never pulled or pushed, or is none", async () => {
    expect(await readBase(directory, DEV)).toEqual({ base: {}, manifestVersion: 0 });
    writeFileSync(join(directory, "plain"), "");
    expect(await readBase(join(directory, "plain"), DEV)).toEqual({ base: {}, manifestVersion: 0 });
  });

  it("keep deployments of the same name in two Regions apart", async () => {
    await writeBase(directory, DEV, BASE, 7);
    await writeBase(directory, PROD, {});
    expect(await readBase(directory, DEV)).toEqual({ base: BASE, manifestVersion: 7 });
    expect(await readBase(directory, PROD)).toEqual({ base: {}, manifestVersion: 0 });
    await writeBase(directory, PROD, BASE, 3);
    expect(await readBase(directory, DEV)).toMatchObject({ manifestVersion: 7 });
    expect(await readBase(directory, PROD)).toEqual({ base: BASE, manifestVersion: 3 });
    expect(readFileSync(join(directory, ".outrigger/.gitignore"), "utf8")).toBe("*\n");
  });

  it.each([
    ["no JSON", "{"],
    ["another format", JSON.stringify({ format: 1, deployments: {} })],
    ["no deployments", JSON.stringify({ format: 2 })],
    ["digests that are none", JSON.stringify({ format: 2, deployments: { a: BASE, b: { config: "x" } } })],
    ["a digest and more", JSON.stringify({ format: 2, deployments: { b: { config: `${"a".repeat(64)}b` } } })],
    ["what is no deployment", JSON.stringify({ format: 2, deployments: { b: [] } })],
  ])("refuse a file with %s, with the way out", async (_, text) => {
    put(text);
    await expect(readBase(directory, DEV)).rejects.toMatchObject({
      code: "tree-invalid",
      path: file(),
      message: `Cannot read ${file()}: it is damaged, or of another version; remove it, and every difference will count as an edit of both sides`,
    });
  });

  it("refuse what cannot be opened", async () => {
    mkdirSync(file(), { recursive: true });
    await expect(readBase(directory, DEV)).rejects.toThrow(/^Cannot read .*: it cannot be opened; remove it/);
  });

  it("take versions of manifests that are none for unknown ones", async () => {
    await writeBase(directory, DEV, BASE, 7);
    const kept = JSON.parse(readFileSync(file(), "utf8"));
    for (const manifests of [undefined, 1, { ...kept.manifests, other: "x" }]) {
      put(JSON.stringify({ ...kept, manifests }));
      expect(await readBase(directory, DEV)).toEqual({ base: BASE, manifestVersion: 0 });
    }
  });
});

describe("requireNotEmptied()", () => {
  const check = (tree: object, base: object) => () =>
    requireNotEmptied(tree as never, base as never, "pull", DEV, "use --force");

  it("takes a tree that has something, or had nothing", () => {
    expect(check({ config: "" }, BASE)).not.toThrow();
    expect(check({}, {})).not.toThrow();
  });

  it("refuses one that was emptied, with what was there and the way out", () => {
    expect(check({}, BASE)).toThrow(
      /^Cannot pull: \/outrigger\/dev.* is empty, and had 1 entry when .* or use --force$/,
    );
    expect(check({}, { ...BASE, mesh: "b".repeat(64) })).toThrow(
      expect.objectContaining({ code: "tree-changed", message: expect.stringContaining("had 2 entries when") }),
    );
  });
});
