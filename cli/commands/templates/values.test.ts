import { parseYaml } from "@outrigger/yaml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";
import { parseSet } from "../../options/values-options.ts";

const SHIPPED = {
  config: "defaultTemplates: [sidecar]\n",
  "values/00": "global:\n  hub: shipped\n  tag: one\n",
  "templates/sidecar":
    'spec:\n  containers:\n  - name: istio-proxy\n    image: "{{values.global.hub}}:{{values.global.tag}}"\n',
  "samples/plain-pod": "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n",
};
const POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";

let aws: ReturnType<typeof fakeAws>;
let cli: ReturnType<typeof fakeCli>;
beforeEach(() => {
  aws = fakeAws({}, SHIPPED);
  cli = fakeCli(aws.connect, SHIPPED);
  cli.write("pod.yaml", POD);
});
afterEach(() => cli.remove("."));

describe("outrigger values", () => {
  it("prints values, each with the line that sets it", async () => {
    cli.write("mine/values/10.yaml", "# mine\nglobal: {tag: two}\n");
    const { code, out, err } = await cli.run("values --dir mine");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toBe("global:\n  hub: shipped  # shipped values/00:2\n  tag: two      # values/10:2\n");
  });

  it("prints what --values takes again", async () => {
    const { out } = await cli.run("values --set global.tag=two,own.list={a,b}");
    cli.write("again.yaml", out);
    const again = await cli.run("values --values again.yaml");
    expect(parseYaml(again.out, "again")).toEqual(parseYaml(out, "out"));
    expect(again.out).toContain("tag: two      # again.yaml:3\n");
    expect(out).toContain("# --set\n");
  });

  it("prints those of a channel, with the origins of its own texts", async () => {
    await aws.edit("values/10", "global: {tag: two}\n");
    await cli.run("publish");
    await aws.edit("values/10", "global: {tag: three}\n");
    const served = await cli.json("values --from stable");
    expect(served).toMatchObject({
      from: "stable",
      values: { global: { tag: "two" } },
      origins: { "global.tag": "values/10:1", "global.hub": "shipped values/00:2" },
    });
    const edited = await cli.json("values --from source --set global.hub=mine");
    expect(edited).toMatchObject({
      values: { global: { tag: "three", hub: "mine" } },
      origins: { "global.tag": "values/10:1", "global.hub": "--set" },
    });
  });
});

describe("--values and --set", () => {
  it("lie over the tree in their order, in inject, render and diff, and nothing is stored", async () => {
    cli.write("a.yaml", "global: {hub: a, tag: a}\n");
    cli.write("b.yaml", "global: {hub: b}\n");
    const given = "--values a.yaml --values b.yaml --set global.tag=1.30";
    expect((await cli.run(`inject -f pod.yaml ${given}`)).out).toContain("image: b:1.30");
    expect((await cli.run(`inject --overlay -f pod.yaml ${given}`)).out).toContain("image: b:1.30");
    expect((await cli.run(`explain -f pod.yaml --lines ${given}`)).out).toContain("image: b:1.30");
    const { out } = await cli.run(`diff shipped shipped ${given}`);
    expect(out).toContain("-  - image: shipped:one\n+  - image: b:1.30\n");
    expect(aws.store.calls()).toEqual({});
  });

  it.each([
    ["--values mine.yaml", "global: [1]\n", 1, "mine.yaml"],
    ["--values mine.yaml", "- a\n", 1, "Cannot use mine.yaml: values must be a mapping"],
    ["--values mine.yaml", "a: [\n", 1, "mine.yaml"],
    ["--values none.yaml", "", 3, "Cannot read none.yaml: there is no such file or directory"],
    ["--set global", "", 2, "Cannot read --set global: write it as key.key=value"],
    ["--set =1", "", 2, "Cannot read --set =1"],
    ["--set a[0]=1", "", 2, "items of lists are set with --values"],
  ])("%s are refused by what the user gave: %j", async (given, text, code, message) => {
    cli.write("mine.yaml", text);
    const ran = await cli.run(`inject -f pod.yaml ${given}`);
    expect([ran.code, ran.out]).toEqual([code, ""]);
    expect(ran.err).toContain(message);
    expect(ran.err).not.toContain("zzzz");
  });
});

describe("parseSet()", () => {
  it.each<[string, unknown]>([
    ["a=1", { a: 1 }],
    ["a=01", { a: "01" }],
    ["a=-0", { a: "-0" }],
    ["a=1.10", { a: "1.10" }],
    ["a=12345678901234567890", { a: "12345678901234567890" }],
    ["a=-3,b=true,c=null,d=", { a: -3, b: true, c: null, d: "" }],
    ["a.b=x,a.c=k", { a: { b: "x", c: "k" } }],
    ["a=x,a.b=k", { a: { b: "k" } }],
    ["sidecar\\.istio\\.io/x=a\\,b", { "sidecar.istio.io/x": "a,b" }],
    ["a={},b={x,1,true}", { a: [], b: ["x", 1, true] }],
    ["a={x\\,k,z}", { a: ["x,k", "z"] }],
    ["a=b=c", { a: "b=c" }],
    ["a=\\", { a: "\\" }],
  ])("reads %s as helm does", (text, value) => {
    expect(parseSet([text])).toEqual(value);
  });

  it("makes an entry of a name when it is a prototype's", () => {
    const values = parseSet(["__proto__.a=1"]);
    expect(Object.keys(values)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
  });
});
