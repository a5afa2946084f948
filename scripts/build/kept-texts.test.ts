import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MADE_OF, projectRoot, shared } from "./bundled-release.ts";
import { digestOf, keptTexts } from "./kept-texts.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "outrigger-kept-"));
});
afterEach(() => rmSync(root, { recursive: true }));

describe("keptTexts()", () => {
  const made = async (folder: string, digest: string) => {
    let isMade = false;
    const texts = await keptTexts(folder, digest, async () => {
      isMade = true;
      return { module: `export const digest = "${digest}";\n` };
    });
    return [isMade, texts["module"]];
  };

  it("makes texts once for a digest, and again for another", async () => {
    const folder = join(root, "kept/here");
    expect(await made(folder, "a")).toEqual([true, 'export const digest = "a";\n']);
    expect(await made(folder, "a")).toEqual([false, 'export const digest = "a";\n']);
    expect(await made(folder, "b")).toEqual([true, 'export const digest = "b";\n']);
    expect(readdirSync(folder).toSorted()).toEqual(["a.json", "b.json"]);
  });

  it("makes texts again where what is kept is damaged", async () => {
    writeFileSync(join(root, "a.json"), '{"module": "expo');
    expect(await made(root, "a")).toContain(true);
    expect(await made(root, "a")).toContain(false);
  });

  it("removes what was made more than a day before", async () => {
    for (const digest of ["a", "b"]) await made(root, digest);
    utimesSync(join(root, "a.json"), 0, 0);
    await made(root, "c");
    expect(readdirSync(root).toSorted()).toEqual(["b.json", "c.json"]);
  });

  it("makes them each time where nothing can be written", async () => {
    writeFileSync(join(root, "file"), "");
    for (const _ of [1, 2]) expect(await made(join(root, "file/below"), "a")).toContain(true);
  });
});

describe("digestOf()", () => {
  it("is another one for another text, path or order of texts, and the same for other tests", () => {
    mkdirSync(join(root, "lib/deep"), { recursive: true });
    const digests = [];
    for (const [file, text] of [
      ["lib/a.ts", "1"],
      ["lib/a.ts", "2"],
      ["lib/deep/b.ts", "2"],
      ["lib/deep/b.ts", ""],
      ["lock.json", "{}"],
    ] as const) {
      if (file !== "lock.json") writeFileSync(join(root, "lock.json"), "");
      writeFileSync(join(root, file), text);
      digests.push(digestOf(root, ["lib", "lock.json"]));
    }
    expect(new Set(digests).size).toBe(digests.length);
    writeFileSync(join(root, "lib/a.test.ts"), "a test");
    expect(digestOf(root, ["lib", "lock.json"])).toBe(digests.at(-1));
  });

  it("covers all that the shipped release is made of", async () => {
    const entryPoints = ["scripts/build/shipped-modules.ts"];
    const { metafile } = await build({ ...shared, entryPoints, format: "esm", write: false, metafile: true });
    const isCovered = (file: string) => MADE_OF.some((place) => file === place || file.startsWith(`${place}/`));
    // The lock file has the versions of the others.
    const files = Object.keys(metafile.inputs).map((file) =>
      relative(projectRoot, join(projectRoot, file)).split(sep).join("/"),
    );
    const own = files.filter((file) => !file.startsWith("node_modules/"));
    expect(own.filter((file) => !isCovered(file) || file.endsWith(".test.ts"))).toEqual([]);
    expect(own).toContain("lib/injector/release/compile-release.ts");
  });
});
