import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { OutriggerError } from "@outrigger/base";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { MANIFEST_FILE, manifestOptions, namesOf, readManifests } from "./read-manifests.ts";

const TEXT = "kind: Pod\n";
let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "outrigger-manifests-"));
  const files = ["a.yaml", "b.yml", "c.json", "notes.txt", "one,two.yaml", "deep/d.yaml", "deep/er/e.yaml"];
  for (const file of [
    ...files,
    "texts/notes.txt",
    "texts/yaml",
    "-/f.yaml",
    "ab[1].yaml",
    "ab1.yaml",
    "a+b.yaml",
    "axb.yaml",
  ]) {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), TEXT);
  }
  writeFileSync(join(cwd, "texts/chart.tpl"), "kind: {{ .Values.kind }}\n");
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

async function read(filename: readonly string[], recursive?: true, input: readonly string[] = []) {
  const io = fakeIo({ cwd, input });
  return readManifests({ filename, ...(recursive && { recursive }) }, io);
}
const sources = async (...filename: readonly string[]) => (await read(filename)).map(({ source }) => source);
const refused = (code: OutriggerError["code"], message: string) => expect.objectContaining({ code, message });

describe("readManifests()", () => {
  it("reads files in the order in which they are named, as often as they are", async () => {
    expect(await read(["deep/d.yaml", "notes.txt"])).toEqual([
      { source: "deep/d.yaml", relative: "d.yaml", text: TEXT },
      { source: "notes.txt", relative: "notes.txt", text: TEXT },
    ]);
    expect(await sources("b.yml", "a.yaml", "b.yml")).toEqual(["b.yml", "a.yaml", "b.yml"]);
  });

  it("splits names at commas, and takes a file whose own name has one", async () => {
    expect(await sources("a.yaml,,b.yml,")).toEqual(["a.yaml", "b.yml"]);
    expect(await sources("one,two.yaml")).toEqual(["one,two.yaml"]);
    const io = fakeIo({ cwd });
    expect(await namesOf("a.yaml", io)).toEqual(["a.yaml"]);
    expect(await namesOf("missing.yaml", io)).toEqual(["missing.yaml"]);
  });

  it("reads standard input once, whatever is there of that name", async () => {
    const found = await read(["a.yaml", "-"], undefined, ["kind: ", "Service\n"]);
    expect(found.at(-1)).toEqual({ source: "standard input", relative: "-", text: "kind: Service\n" });
    const twice = refused("usage", "Cannot read standard input twice: give -f - once");
    await expect(read(["-", "-"])).rejects.toEqual(twice);
    await expect(read(["-,-"])).rejects.toEqual(twice);
  });

  it("reads the manifests of a directory in the order of their names, and those below it where that is asked for", async () => {
    const d = { source: "deep/d.yaml", relative: "d.yaml", text: TEXT };
    expect(await read(["deep"])).toEqual([d]);
    expect(await read(["deep/"])).toEqual([d]);
    expect(await read(["deep"], true)).toEqual([d, { source: "deep/er/e.yaml", relative: "er/e.yaml", text: TEXT }]);
    expect(await sources(".")).toEqual(
      ["a+b.yaml", "a.yaml", "ab1.yaml", "ab[1].yaml", "axb.yaml", "b.yml", "c.json", "one,two.yaml"].map(
        (file) => `./${file}`,
      ),
    );
  });

  it("names what would help where a directory has no manifest", async () => {
    const message = "Cannot find a .yaml, .yml or .json file in texts";
    await expect(read(["texts"])).rejects.toEqual(
      refused("manifest-invalid", `${message}; -R reads the directories below it too`),
    );
    await expect(read(["texts"], true)).rejects.toEqual(refused("manifest-invalid", message));
    await expect(read(["texts"], true)).rejects.toMatchObject({ path: "texts" });
  });

  it.each([
    ["*.y?ml", ["a+b.yaml", "a.yaml", "ab1.yaml", "ab[1].yaml", "axb.yaml", "one,two.yaml"]],
    ["?.yml", ["b.yml"]],
    ["[ac].*", ["a.yaml", "c.json"]],
    ["[^a].*", ["b.yml", "c.json"]],
    ["a+*", ["a+b.yaml"]],
    ["a*.yaml", ["a+b.yaml", "a.yaml", "ab1.yaml", "ab[1].yaml", "axb.yaml"]],
    ["notes.tx?", ["notes.txt"]],
    ["deep/*", ["deep/d.yaml"]],
    ["./?.yml", ["./b.yml"]],
    // A file of that very name is no pattern.
    ["ab[1].yaml", ["ab[1].yaml"]],
  ])("reads the files of one directory that match %s", async (pattern, files) => {
    expect(await sources(pattern)).toEqual(files);
  });

  it("gives the files of a pattern their own names", async () => {
    expect(await read(["deep/*"])).toEqual([{ source: "deep/d.yaml", relative: "d.yaml", text: TEXT }]);
    expect((await read([`${cwd}/deep/d.*`]))[0]).toMatchObject({ source: `${cwd}/deep/d.yaml`, relative: "d.yaml" });
  });

  it.each([
    ["*.toml", "Cannot find a file that matches *.toml"],
    ["deep/e*", "Cannot find a file that matches deep/e*"],
    ["/*.outrigger", "Cannot find a file that matches /*.outrigger"],
    ["nowhere/*", "Cannot read nowhere: there is no such file or directory"],
    ["missing.yaml", "Cannot read missing.yaml: there is no such file or directory"],
    ["a.yaml/b.yaml", "Cannot read a.yaml/b.yaml: there is a file where a directory should be"],
  ])("says why %s cannot be read", async (name, message) => {
    await expect(read([name])).rejects.toEqual(refused("manifest-invalid", message));
  });

  it("refuses a Helm template by its name", async () => {
    await expect(read(["texts/chart.tpl"])).rejects.toThrow("Cannot read texts/chart.tpl: it is a Helm template");
  });
});

describe("the options of kubectl that are none here", () => {
  it.each([
    ["kustomize", "--kustomize here: render it first: kubectl kustomize $&x | outrigger inject -f -"],
    ["selector", "--selector here: let kubectl select: outrigger inject -f FILE | kubectl apply -l $&x -f -"],
  ] as const)("%s says what works, with the value as it is", (option, message) => {
    expect(() => manifestOptions[option].parse("$&x")).toThrow(new OutriggerError("usage", `Cannot use ${message}`));
  });
});

it.each([
  ["a.yaml", true],
  ["a.yml", true],
  ["a.json", true],
  ["a.yaml.bak", false],
  ["a.jsonl", false],
  ["yaml", false],
])("MANIFEST_FILE takes %s: %s", (name, expected) => {
  expect(MANIFEST_FILE.test(name)).toBe(expected);
});
