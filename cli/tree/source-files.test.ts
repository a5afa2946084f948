import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isThere, sourceFile, writeFileInPlace, writeSourceFiles } from "./source-files.ts";

describe("sourceFile()", () => {
  it.each([
    ["config", "config.yaml"],
    ["values/10-mine", "values/10-mine.yaml"],
    ["templates/sidecar", "templates/sidecar.hbs"],
    ["partials/a", "partials/a.hbs"],
    ["releases/1.30/templates/a", "releases/1.30/templates/a.hbs"],
    ["releases/1.30/config", "releases/1.30/config.yaml"],
    ["values/templates/a", "values/templates/a.yaml"],
  ])("of %s is %s", (path, file) => expect(sourceFile(path)).toBe(file));
});

describe("the writing of a tree", () => {
  let home: string;
  let directory: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "outrigger-source-files-"));
    directory = join(home, "tree");
  });
  afterEach(() => rmSync(home, { recursive: true }));
  const read = (file: string) => readFileSync(join(directory, file), "utf8");
  const put = (file: string, text = "old\n") => {
    mkdirSync(join(directory, file, ".."), { recursive: true });
    writeFileSync(join(directory, file), text);
  };

  it("makes the directory, writes the entries that are asked for, and removes those that the tree has not", async () => {
    await writeSourceFiles(directory, { config: "a: 1\n", mesh: "b: 2\n" }, ["config"]);
    expect(readdirSync(directory)).toEqual(["config.yaml"]);
    put("templates/old.hbs");
    await writeSourceFiles(directory, { "templates/new": "x\n" }, ["templates/new", "templates/old", "mesh"]);
    expect(read("templates/new.hbs")).toBe("x\n");
    expect(readdirSync(join(directory, "templates"))).toEqual(["new.hbs"]);
    expect(read("config.yaml")).toBe("a: 1\n");
  });

  it("keeps the name of a file that people named .yml", async () => {
    put("config.yml");
    put("mesh.yml");
    await writeSourceFiles(directory, { config: "a: 1\n" }, ["config", "mesh"]);
    expect(readdirSync(directory)).toEqual(["config.yml"]);
    expect(read("config.yml")).toBe("a: 1\n");
  });

  it("writes nothing where one of the paths is none of a tree", async () => {
    await expect(writeSourceFiles(directory, {}, ["config", "../config"])).rejects.toThrow("../config");
    expect(existsSync(directory)).toBe(false);
  });

  it("replaces a link and leaves what it leads to alone", async () => {
    put("config.yaml");
    writeFileSync(join(home, "other"), "mine\n");
    rmSync(join(directory, "config.yaml"));
    symlinkSync("../other", join(directory, "config.yaml"));
    await writeSourceFiles(directory, { config: "a: 1\n" }, ["config"]);
    expect(read("config.yaml")).toBe("a: 1\n");
    expect(readFileSync(join(home, "other"), "utf8")).toBe("mine\n");
  });

  it("writes and removes nothing through a folder that leads out of the tree, and leaves no draft", async () => {
    mkdirSync(join(home, "other"));
    writeFileSync(join(home, "other/a.hbs"), "mine\n");
    mkdirSync(directory);
    symlinkSync("../other", join(directory, "templates"));
    for (const tree of [{ "templates/a": "x\n" }, {}]) {
      await expect(writeSourceFiles(directory, tree, ["templates/a"])).rejects.toThrow(
        expect.objectContaining({
          code: "tree-invalid",
          message: `Cannot write to ${join(directory, "templates")}: it is a link to a place outside the tree; put a folder there instead`,
        }),
      );
    }
    expect(readdirSync(join(home, "other"))).toEqual(["a.hbs"]);
    expect(readFileSync(join(home, "other/a.hbs"), "utf8")).toBe("mine\n");
  });

  it("writes into the directory itself also where that is a link", async () => {
    mkdirSync(join(home, "real"));
    symlinkSync("real", directory);
    await writeSourceFiles(directory, { config: "a: 1\n", "values/a": "b: 2\n" }, ["config", "values/a"]);
    expect(readdirSync(join(home, "real"))).toEqual(["config.yaml", "values"]);
  });

  it("says what could not be written or removed, and why, and leaves no draft", async () => {
    const inTheWay = join(directory, "config.yaml");
    mkdirSync(join(inTheWay, "a"), { recursive: true });
    await expect(writeSourceFiles(directory, { config: "" }, ["config"])).rejects.toThrow(`Cannot write ${inTheWay}: `);
    await expect(writeSourceFiles(directory, {}, ["config"])).rejects.toThrow(`Cannot remove ${inTheWay}: `);
    expect(readdirSync(directory)).toEqual(["config.yaml"]);
    writeFileSync(join(home, "plain"), "");
    await expect(writeSourceFiles(join(home, "plain"), {}, [])).rejects.toThrow(
      `Cannot make ${join(home, "plain")}: there is a file where a directory should be`,
    );
    await expect(writeFileInPlace(join(home, "plain"), "a", "")).rejects.toThrow(
      `Cannot write ${join(home, "plain/a")}`,
    );
  });

  it("counts a link as there, wherever it leads", async () => {
    symlinkSync("nowhere", join(home, "link"));
    expect(await isThere(join(home, "link"))).toBe(true);
    expect(await isThere(join(home, "gone"))).toBe(false);
  });
});
