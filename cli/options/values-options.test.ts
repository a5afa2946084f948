import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { findReference, type Referred } from "./reference.ts";
import { originOfValue, parseSet, type ValuesOptions, withCommandLineValues } from "./values-options.ts";

const connect = () => Promise.reject(new Error("this test has no AWS"));

describe("withCommandLineValues()", () => {
  let cli: ReturnType<typeof fakeCli>;
  let shipped: Referred;
  const io = (input?: string) =>
    fakeIo({ cwd: cli.cwd, templates: join(cli.cwd, "shipped"), input: input === undefined ? [] : [input] });
  const laid = (options: ValuesOptions, referred = shipped, input?: string) =>
    withCommandLineValues(referred, options, io(input));
  const refused = (options: ValuesOptions, referred = shipped) => laid(options, referred).catch((error) => error);
  beforeEach(async () => {
    cli = fakeCli(connect, SHIPPED);
    shipped = await findReference("shipped", connect, io());
  });
  afterEach(() => cli.remove("."));

  it("leaves a release as it is where nothing is given", async () => {
    expect(await laid({})).toBe(shipped);
    expect(await laid({ values: [], set: [] })).toBe(shipped);
  });

  it("lays files over the tree in their order, and --set over all: another release of the same name", async () => {
    cli.write("a.yaml", "global: {hub: a, tag: a, only: a}\n");
    cli.write("b.yaml", "global: {hub: b, tag: b}\n");
    const { release, digest, name } = await laid({ values: ["a.yaml", "b.yaml"], set: ["global.tag=c"] });
    expect(release.values).toMatchObject({ global: { hub: "b", tag: "c", only: "a" } });
    expect(name).toBe("shipped");
    expect(digest).not.toBe(shipped.digest);
    expect(digest).toMatch(/^[0-9a-f]{12}$/);
  });

  it("keeps the last of more than ten files", async () => {
    const values = Array.from({ length: 12 }, (_, index) => `${index}.yaml`);
    for (const [index, file] of values.entries()) cli.write(file, `global: {hub: "${index}"}\n`);
    expect((await laid({ values })).release.values).toMatchObject({ global: { hub: "11" } });
  });

  it("keeps the other texts of the tree, in the release and for what is laid over it next", async () => {
    const tree = { "values/50-mine": "global: {mine: true, hub: mine}\n" };
    const { release, tree: texts } = await laid({ set: ["global.hub=x"] }, { ...shipped, tree });
    expect(release.values).toMatchObject({ global: { mine: true, hub: "x" } });
    expect(texts).toMatchObject(tree);
    expect(Object.keys(texts ?? {})).toHaveLength(2);
  });

  it("takes standard input, and a file without values", async () => {
    cli.write("none.yaml", "# nothing yet\n");
    const { release } = await laid({ values: ["none.yaml", "-"] }, shipped, "global: {hub: piped}\n");
    expect(release.values).toMatchObject({ global: { hub: "piped" } });
  });

  it("refuses a release whose texts are not kept any more, by its name", async () => {
    const { tree: _, ...kept } = shipped;
    const old: Referred = { ...kept, name: "1f2e3d4c5b6a", tree: undefined };
    expect(await laid({}, old)).toBe(old);
    expect(await refused({ set: ["a=1"] }, old)).toMatchObject({
      code: "usage",
      message: expect.stringMatching(/^Cannot lay values over 1f2e3d4c5b6a: .* name source or a directory$/),
    });
  });

  it("names the file that the user gave, and the line in it, for what is wrong with its values", async () => {
    cli.write("good.yaml", "global: {tag: a}\n");
    cli.write("bad.yaml", "global:\n  hub: [1]\n");
    const error = await refused({ values: ["good.yaml", "bad.yaml"] });
    expect(error).toMatchObject({ path: "bad.yaml", line: 2, message: expect.stringContaining("bad.yaml") });
    expect(error.message).not.toContain("zzzz");
  });

  it("names --set for what is wrong with its value, without a line that nobody wrote", async () => {
    cli.write("good.yaml", "global: {tag: a}\n");
    const error = await refused({ values: ["good.yaml"], set: ["global.hub={1}"] });
    expect(error).toMatchObject({ path: "--set", message: expect.stringContaining("--set") });
    expect([error.line, error.column]).toEqual([undefined, undefined]);
    expect(error.message).not.toContain("zzzz");
  });

  it("names the tree's own file for what is wrong there", async () => {
    const tree = { "values/50-mine": "global:\n\n  hub: [1]\n" };
    expect(await refused({ set: ["a=1"] }, { ...shipped, tree })).toMatchObject({ path: "values/50-mine", line: 3 });
  });

  it.each(["- a\n", "text\n", "1\n"])("refuses values that are no mapping: %j", async (text) => {
    cli.write("mine.yaml", text);
    expect(await refused({ values: ["mine.yaml"] })).toMatchObject({
      code: "values-invalid",
      path: "mine.yaml",
      message: "Cannot use mine.yaml: values must be a mapping",
    });
  });

  it("says where each value comes from, in the words of the command line", async () => {
    const options = { values: ["a.yaml", "-"], set: ["global.hub=x"] };
    cli.write("a.yaml", "global: {tag: a}\n");
    const { tree } = await laid(options, shipped, "global: {tag: b}\n");
    const paths = Object.keys(tree ?? {});
    expect(paths.map((path) => originOfValue({ path, line: 3, isShipped: false }, options))).toEqual([
      "a.yaml:3",
      "standard input:3",
      "--set",
    ]);
    expect(originOfValue({ path: paths[0] as string, line: 3, isShipped: false }, {})).toBe("--set");
    expect(originOfValue({ path: "values/10-mine", line: 3, isShipped: false }, options)).toBe("values/10-mine:3");
    expect(originOfValue({ path: "values/istio", line: 3, isShipped: true }, {})).toBe("shipped values/istio:3");
  });
});

describe("parseSet()", () => {
  it.each<[readonly string[], unknown]>([
    [[], {}],
    [["a=1", "b=2"], { a: 1, b: 2 }],
    [["a=1", "a=2"], { a: 2 }],
    [["a=1,a=2"], { a: 2 }],
    [["a.b.c=1,a.b.d=2", "a.e=3"], { a: { b: { c: 1, d: 2 }, e: 3 } }],
    [["a=1,,b=2,"], { a: 1, b: 2 }],
    [["a=true,b=false,c=null,d=True,e=nullish"], { a: true, b: false, c: null, d: "True", e: "nullish" }],
    [["a=0,b=-1,c=10,d=-01,e=1e3,f=+1"], { a: 0, b: -1, c: 10, d: "-01", e: "1e3", f: "+1" }],
    [["a=9007199254740991,b=9007199254740992"], { a: 9007199254740991, b: "9007199254740992" }],
    [["a=x y"], { a: "x y" }],
    [["a=one\ntwo"], { a: "one\ntwo" }],
    [["a={1\n}"], { a: ["1\n"] }],
    [["a={x,y},b={z}"], { a: ["x", "y"], b: ["z"] }],
    [["a={x},b=1"], { a: ["x"], b: 1 }],
    [["a={x"], { a: "{x" }],
    [["a=x},b=1"], { a: "x}", b: 1 }],
    [["a=b={x,c=d}"], { a: "b={x", c: "d}" }],
    [["a=x\\,y,b=z"], { a: "x,y", b: "z" }],
    [["a.b\\.c.d=1"], { a: { "b.c": { d: 1 } } }],
    [["a=\\{x\\}"], { a: "{x}" }],
    [["a=1.2.3"], { a: "1.2.3" }],
    [["constructor=a,b=toString"], { constructor: "a", b: "toString" }],
  ])("reads %j", (texts, values) => {
    expect(parseSet(texts)).toEqual(values);
  });

  it.each(["a", "=1", "a.=1", ".a=1", "a..b=1", "a[0]=1", "a[=1", "a]=1"])("refuses %j by its text", (text) => {
    expect(() => parseSet(["fine=1", text])).toThrow(`Cannot read --set ${text}: write it as key.key=value`);
  });
});
