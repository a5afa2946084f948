import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_FILE_BYTES, readSourceTree } from "./source-directory.ts";

describe("readSourceTree()", () => {
  let directory: string;
  beforeEach(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), "outrigger-tree-")));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  function put(path: string, content: string | Uint8Array = "x: 1\n"): string {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  it("reads every kind of entry when all are there", async () => {
    for (const name of ["config.yaml", "mesh.yml", "proxyconfigs.yaml", "namespaces.yaml"]) put(name, name);
    for (const name of ["values/00-default.yaml", "templates/sidecar.hbs", "partials/a_b.c-d.hbs", "samples/pod.yml"])
      put(name, name);
    expect(await readSourceTree(directory)).toEqual({
      config: "config.yaml",
      mesh: "mesh.yml",
      proxyconfigs: "proxyconfigs.yaml",
      namespaces: "namespaces.yaml",
      "values/00-default": "values/00-default.yaml",
      "templates/sidecar": "templates/sidecar.hbs",
      "partials/a_b.c-d": "partials/a_b.c-d.hbs",
      "samples/pod": "samples/pod.yml",
    });
  });

  it("leaves out what it says is wrong, for who shows the rest", async () => {
    for (const name of ["mesh.yaml", "mesh.yml", "odd.yaml", "templates/a.txt", "values/10-a.yaml"]) put(name, name);
    put("values/20-b.yaml", Uint8Array.of(0xff));
    const faults: string[] = [];
    const tree = await readSourceTree(directory, ({ message }) => faults.push(message));
    expect(tree).toEqual({ mesh: "mesh.yml", "values/10-a": "values/10-a.yaml" });
    expect(faults.map((message) => message.replace(/^.*?: /, ""))).toEqual([
      expect.stringContaining("a file of this name means nothing"),
      expect.stringContaining("files in templates end in .hbs"),
      expect.stringContaining("says the same thing"),
      expect.stringContaining("it is not UTF-8 text"),
    ]);
  });

  it("gives an empty tree when the directory is empty", async () => {
    expect(await readSourceTree(directory)).toEqual({});
  });

  it("leaves alone what nobody means when editors and people leave it there", async () => {
    for (const name of [
      ".git/HEAD",
      ".config.yaml.swp",
      "config.yaml~",
      "#config.yaml#",
      "4913",
      "README.md",
      "values/.keep",
      "templates/notes.md",
    ])
      put(name);
    put("config.yaml");
    expect(Object.keys(await readSourceTree(directory))).toEqual(["config"]);
  });

  it.each([
    ["flow maps", "a: {b: {c: {d: 1}}}\n", "a: {b: {c: {d: 1} } }\n"],
    ["JSON", '{"a": {"b": "}"}}', '{"a": {"b": "}"} }'],
    ["a text in quotes", "a: '{\"b\": {}}'\n", "a: '{\"b\": {}}'\n"],
    ["a text with a tag", 'a: {b: {c: "{{d}}"}}\n', 'a: {b: {c: "{{d}}"}}\n'],
    ["what is no YAML", "a: [}}\n", "a: [}}\n"],
  ])("reads the braces of %s apart where that has the same meaning", async (_what, text, read) => {
    put("values/10.yaml", text);
    put("templates/x.hbs", text);
    expect(await readSourceTree(directory)).toEqual({ "values/10": read, "templates/x": text });
  });

  it("keeps a byte order mark: what is pushed is what a pull gives back", async () => {
    put("config.yaml", "\ufeffa: 1");
    expect(await readSourceTree(directory)).toEqual({ config: "\ufeffa: 1" });
  });

  it("follows links when they stay inside, as mounted ConfigMaps have them", async () => {
    put("..2026/config.yaml", "a: 1");
    symlinkSync("..2026", join(directory, "..data"));
    symlinkSync(join("..data", "config.yaml"), join(directory, "config.yaml"));
    expect(await readSourceTree(directory)).toEqual({ config: "a: 1" });
  });

  it.each([
    ["an unknown file", "confg.yaml", "means nothing here; known are config.yaml, mesh.yaml"],
    ["another extension", "config.json", "means nothing here; known are config.yaml"],
    ["a template in YAML", "templates/sidecar.yaml", "files in templates end in .hbs"],
    ["values in JSON", "values/a.json", "files in values end in .yaml or .yml"],
    ["a folder in a folder", "values/more/a.yaml", "files in values end in"],
    ["an unknown folder", "template/sidecar.hbs", "a folder of this name means nothing here"],
    ["a bad name", "values/my values.yaml", "its name may have letters"],
    ["no name", "values/-.yaml", "its name may have letters"],
  ])("names the file and the way out when there is %s", async (_what, path, message) => {
    put(path);
    await expect(readSourceTree(directory)).rejects.toMatchObject({
      code: "tree-invalid",
      message: expect.stringContaining(message),
      path: expect.stringContaining(join(directory, path.split("/")[0] as string)),
    });
  });

  it("refuses twins when both .yaml and .yml are there", async () => {
    const yaml = put("values/a.yaml");
    const yml = put("values/a.yml");
    await expect(readSourceTree(directory)).rejects.toMatchObject({
      code: "tree-invalid",
      message: `Cannot read ${yml}: ${yaml} says the same thing; remove one of the two`,
    });
  });

  it("refuses a link when it leads out of the tree", async () => {
    const outside = mkdtempSync(join(tmpdir(), "outrigger-outside-"));
    writeFileSync(join(outside, "config.yaml"), "a: 1");
    symlinkSync(join(outside, "config.yaml"), join(directory, "config.yaml"));
    await expect(readSourceTree(directory)).rejects.toMatchObject({
      code: "tree-invalid",
      message: expect.stringContaining("outside the tree"),
    });
    rmSync(join(directory, "config.yaml"));
    symlinkSync(outside, join(directory, "values"));
    writeFileSync(join(outside, "config.yaml"), "a: 1");
    await expect(readSourceTree(directory)).rejects.toMatchObject({
      code: "tree-invalid",
      message: expect.stringContaining("outside the tree"),
    });
    rmSync(outside, { recursive: true });
  });

  it.each<[string, (file: string) => void, string]>([
    [
      "is a link to nothing",
      (file) => symlinkSync("nowhere", file),
      "it has gone, or is a link to nothing; put the file itself here",
    ],
    ["is a link to itself", (file) => symlinkSync("config.yaml", file), "it cannot be opened (ELOOP)"],
    ["is a folder", (file) => mkdirSync(file), "it is not a regular file"],
    ["is not UTF-8", (file) => writeFileSync(file, Buffer.from([0x61, 0xff])), "it is not UTF-8 text"],
    ["is too large", (file) => writeFileSync(file, "x".repeat(MAX_FILE_BYTES + 1)), "it is larger than 1048576 bytes"],
  ])("says so when a file %s", async (_what, make, message) => {
    make(join(directory, "config.yaml"));
    await expect(readSourceTree(directory)).rejects.toMatchObject({
      code: "tree-invalid",
      message: `Cannot read ${join(directory, "config.yaml")}: ${message}`,
    });
  });

  it.each(["tests", "templates"])("refuses a link %s to nothing, which is no folder", async (name) => {
    symlinkSync("nowhere", join(directory, name));
    await expect(readSourceTree(directory)).rejects.toMatchObject({
      code: "tree-invalid",
      message: expect.stringContaining(`Cannot read ${join(directory, name)}: `),
    });
  });

  it.each([
    ["is missing", "gone", "there is no such directory"],
    ["is a file", "config.yaml", "it is not a directory"],
  ])("says so when the directory %s", async (_what, name, message) => {
    put("config.yaml");
    const path = join(directory, name);
    await expect(readSourceTree(path)).rejects.toMatchObject({
      code: "tree-invalid",
      path,
      message: `Cannot read ${path}: ${message}`,
    });
  });

  it("names a folder that cannot be listed, with the system's own word for why", async () => {
    const release = put("releases/1.30");
    await expect(readSourceTree(directory)).rejects.toMatchObject({
      code: "tree-invalid",
      path: release,
      message: `Cannot read ${release}: it cannot be listed (ENOTDIR)`,
    });
  });

  it("makes an own entry of a name when it is a prototype's", async () => {
    put("values/constructor.yaml", "a");
    const tree = await readSourceTree(directory);
    expect(Object.keys(tree)).toEqual(["values/constructor"]);
  });
});
