import { describe, expect, it } from "vitest";
import { helpers } from "./helpers/helpers.ts";
import { templateWrites } from "./template-writes.ts";
import { compileTemplates } from "./testing/render-text.ts";

const VALUES = {
  text: "str",
  number: 5,
  list: ["i", { name: "one", port: 1 }],
  map: { deep: { x: true }, none: null, empty: {}, items: [] },
};

function read(text: string, partials: Readonly<Record<string, string>> = {}, values: unknown = VALUES) {
  const compiled = compileTemplates({ templates: { t: text }, partials });
  return templateWrites({ compiled, helpers, constants: { values }, name: "t" });
}

/** `spec.containers[0 name=web].image` */
function pathOf(path: ReturnType<typeof read>["writes"][number]["path"]): string {
  return path
    .map((step) => {
      if (typeof step === "string") return step;
      return `[${[step.at, ...Object.entries(step.item).map(([key, value]) => `${key}=${value}`)].join(" ")}]`;
    })
    .join(".");
}

/** Each write as `path = written ? conditions`. */
function writesOf(text: string, partials: Readonly<Record<string, string>> = {}): readonly string[] {
  return read(text, partials).writes.map(({ path, written, conditions }) => {
    const when = conditions.length === 0 ? "" : ` ? ${conditions.join(", ")}`;
    return `${pathOf(path)} = ${written}${when}`;
  });
}

describe("the writes of a template", () => {
  it("are its fields with their values and places", () => {
    expect(read("a: 1\nb:\n  c: x # why\n  d: [q]\n").writes).toEqual([
      { path: ["a"], written: "1", value: 1, conditions: [], position: { source: "t", line: 1, column: 4 } },
      { path: ["b", "c"], written: "x", value: "x", conditions: [], position: { source: "t", line: 3, column: 6 } },
      {
        path: ["b", "d", { at: 0, item: {} }],
        written: "q",
        value: "q",
        conditions: [],
        position: { source: "t", line: 4, column: 7 },
      },
    ]);
  });

  it("have no value where a pod decides it", () => {
    expect(read("a: {{spec.x}}\nb: 'x-{{spec.y}}'\nc: {{spec.x}}{{values.text}}\n").writes).toEqual([
      { path: ["a"], written: "{{spec.x}}", conditions: [], position: { source: "t", line: 1, column: 4 } },
      { path: ["b"], written: "'x-{{spec.y}}'", conditions: [], position: { source: "t", line: 2, column: 4 } },
      { path: ["c"], written: "{{spec.x}}str", conditions: [], position: { source: "t", line: 3, column: 4 } },
    ]);
  });

  it.each<[string, string, unknown]>([
    ["a text with a constant in it", "a: x-{{values.text}}-{{values.number}}", "x-str-5"],
    ["a constant in quotes, which is a text", "a: '{{values.number}}'", "5"],
    ["a constant alone, with its own type", "a: {{values.number}}", 5],
    ["two constants side by side", "a: {{values.number}}{{values.number}}", "55"],
    ["nothing, which is null", "a:", null],
    ["a flow map with a tag of YAML", "a: !!map {b: 1}", { b: 1 }],
    ["an anchor", "a: &x {b: 1}", { b: 1 }],
    ["a number with a tag of YAML", "a: !!str 5", "5"],
  ])("have the value of %s", (_what, text, value) => {
    expect(read(`${text}\n`).writes.map((write) => write.value)).toEqual([value]);
  });

  it("are those of each branch, with the conditions that lead there, sorted", () => {
    expect(writesOf("{{#if spec.x}}\na: 1\n{{else if spec.a}}\nb: 2\n{{else}}\nc: 3\n{{/if}}\n")).toEqual([
      "c = 3 ? unless spec.a, unless spec.x",
      "a = 1 ? if spec.x",
      "b = 2 ? if spec.a, unless spec.x",
    ]);
    expect(writesOf("{{#with spec.x}}\na: {{y}}\n{{else}}\nb: 2\n{{/with}}\n")).toEqual([
      "b = 2 ? without spec.x",
      "a = {{spec.x.y}} ? with spec.x",
    ]);
    expect(writesOf("{{#each spec.x}}\n- {{name}}\n{{else}}\n- 2\n{{/each}}\n")).toEqual([
      "[0] = 2 ? empty spec.x",
      "[0] = {{@1.item.name}} ? each spec.x",
    ]);
  });

  it("name a condition once that is above a field several times, and a nested one with those around it", () => {
    expect(writesOf("{{#if spec.x}}\n{{#if spec.x}}\na: 1\n{{/if}}\n{{#if spec.y}}\nb: 2\n{{/if}}\n{{/if}}\n")).toEqual(
      ["a = 1 ? if spec.x", "b = 2 ? if spec.x, if spec.y"],
    );
  });

  it("say what a condition tests as it reads of a pod, with its options", () => {
    const partials = { p: "{{#if (eq x 'a') includeZero=true}}\na: 1\n{{/if}}\n" };
    expect(writesOf("{{> p x=spec.b}}\n", partials)).toEqual(['a = 1 ? if (eq spec.b "a") includeZero=true']);
  });

  it("leave out branches that a constant rules out, and name no constant condition", () => {
    expect(writesOf("{{#if values.number}}\na: 1\n{{else}}\nb: 2\n{{/if}}\n")).toEqual(["a = 1"]);
  });

  it("have the place in the partial that writes them", () => {
    const [write] = read("a:\n  {{> p}}\n", { p: "b: 1\nc: 2\n" }).writes.slice(1);
    expect(write).toMatchObject({ path: ["a", "c"], position: { source: "partials/p", line: 2, column: 4 } });
  });

  it("are the same once where two ways write the same, and two where one of them has another value", () => {
    const both = (second: string) => `{{#if spec.x}}\na: 1\n{{/if}}\n{{#if spec.x}}\n${second}\n{{/if}}\n`;
    expect(writesOf(both("b: 1"))).toEqual(["a = 1 ? if spec.x", "b = 1 ? if spec.x"]);
    expect(writesOf("{{#if spec.x}}\na: 1\n{{else}}\na: 2\n{{/if}}\n")).toEqual([
      "a = 2 ? unless spec.x",
      "a = 1 ? if spec.x",
    ]);
  });

  it("take a constant apart by its leaves, without what has no value", () => {
    expect(writesOf("a: {{values.map}}\nb: {{values.list}}\nc: {{values.nothing}}\n")).toEqual([
      "a.deep.x = true",
      "a.empty = {}",
      "a.items = []",
      'b.[0] = "i"',
      'b.[1 name=one].name = "one"',
      "b.[1 name=one].port = 1",
    ]);
    expect(read("b: {{values.list}}\n").writes.map(({ value }) => value)).toEqual(["i", "one", 1]);
  });

  it("write a constant list within a text as JSON, though no rendering can", () => {
    expect(read("a: x {{toJson values.list}}\n").writes).toMatchObject([
      { written: 'x ["i",{"name":"one","port":1}]' },
    ]);
    expect(writesOf("a: {{spec.x}} {{values.list}}\n")).toEqual([' = a: {{spec.x}} ["i",{"name":"one","port":1}]\n']);
  });
});

describe("the items of lists", () => {
  it("have their place and the fields that may name them", () => {
    const text =
      "l:\n- name: web\n  image: a\n- mountPath: /a\n  name: v\n- containerPort: 80\n  protocol: TCP\n- x: 1\n";
    expect(writesOf(text)).toEqual([
      "l.[0 name=web].name = web",
      "l.[0 name=web].image = a",
      "l.[1 mountPath=/a name=v].mountPath = /a",
      "l.[1 mountPath=/a name=v].name = v",
      "l.[2 containerPort=80].containerPort = 80",
      "l.[2 containerPort=80].protocol = TCP",
      "l.[3].x = 1",
    ]);
  });

  it.each(["devicePath", "ip", "topologyKey"])("are told apart by %s too", (key) => {
    expect(writesOf(`l:\n- ${key}: a\n  b: 1\n`)).toEqual([`l.[0 ${key}=a].${key} = a`, `l.[0 ${key}=a].b = 1`]);
  });

  it("have a name that a pod decides as its expression, and no map as a name", () => {
    expect(writesOf("l:\n- name: c-{{metadata.name}}\n  a: 1\n- name: {first: x}\n")).toEqual([
      "l.[0 name=c-{{metadata.name}}].name = c-{{metadata.name}}",
      "l.[0 name=c-{{metadata.name}}].a = 1",
      "l.[1].name.first = x",
    ]);
    expect(writesOf("l: [{name: web, a: 1}, {name: other}]\n")).toEqual([
      "l.[0 name=web].name = web",
      "l.[0 name=web].a = 1",
      "l.[1 name=other].name = other",
    ]);
  });

  it("are under the conditions of their name as well", () => {
    expect(writesOf("l:\n- a: 1\n  {{#if spec.x}}\n  name: one\n  {{else}}\n  name: two\n  {{/if}}\n")).toEqual([
      "l.[0 name=two].a = 1 ? unless spec.x",
      "l.[0 name=two].name = two ? unless spec.x",
      "l.[0 name=one].a = 1 ? if spec.x",
      "l.[0 name=one].name = one ? if spec.x",
    ]);
    // A field that names no item decides nothing of the others.
    expect(writesOf("l:\n- a: 1\n  {{#if spec.x}}\n  image: one\n  {{/if}}\n")).toEqual([
      "l.[0].a = 1",
      "l.[0].image = one ? if spec.x",
    ]);
  });

  it("are under the conditions of the key that holds them", () => {
    expect(writesOf("{{#if spec.x}}\nl:\n{{/if}}\n- a: 1\n")).toContain("l.[0].a = 1 ? if spec.x");
    expect(writesOf("m:\n  {{#if spec.x}}\n  {{spec.k}}:\n  {{/if}}\n    a: {{spec.y}}\n")).toContain(
      "m.{{spec.k}}.a = {{spec.y}} ? if spec.x",
    );
  });
});

describe("the conditions of a field", () => {
  const deep = (text: string) => `spec:\n  template:\n    q: 1\n${text.replace(/^(?=.)/gm, "    ")}`;
  const writesBelow = (text: string) =>
    writesOf(deep(text)).flatMap((write) =>
      write.startsWith("spec.template.q") ? [] : [write.replace("spec.template.", "")],
    );

  it.each<[string, string, string]>([
    ["a part of its value", "a: x{{#if spec.x}}y{{/if}}\n", "a = xy ? if spec.x"],
    ["the end of its key", "k{{#if spec.x}}y{{/if}}: 1\n", "ky = 1 ? if spec.x"],
    ["the beginning of its key", "{{#if spec.x}}y{{/if}}k: 1\n", "yk = 1 ? if spec.x"],
    ["its key alone", "{{#if spec.x}}\nk:\n{{/if}}\n  a: 1\n", "k.a = 1 ? if spec.x"],
    ["its dash alone", "l:\n{{#if spec.x}}\n- b: 2\n{{/if}}\n  a: 1\n", "l.[0].a = 1 ? if spec.x"],
    ["its item's name", "l:\n- a: 1\n  {{#if spec.x}}\n  name: n1\n  {{/if}}\n", "l.[0 name=n1].a = 1 ? if spec.x"],
    ["a part of its item's name", "l:\n- a: 1\n  name: n{{#if spec.x}}1{{/if}}\n", "l.[0 name=n1].a = 1 ? if spec.x"],
    ["a field beside it, which is another's", "a: 1\n{{#if spec.x}}\nb: 2\n{{/if}}\n", "a = 1"],
    ["what follows on its line", "a: {b: 1{{#if spec.x}}, c: 2{{/if}} }\n", "a.b = 1"],
  ])("are those of %s", (_what, text, write) => {
    expect(writesBelow(text)).toContain(write);
    expect(writesOf(text)).toContain(write);
  });

  it("are both where two branches write the same in their own words", () => {
    const text = "{{#if spec.x}}\na: 1\n{{else}}\na: 1\n{{/if}}\n";
    expect(writesBelow(text).toSorted()).toEqual(["a = 1 ? if spec.x", "a = 1 ? unless spec.x"]);
    expect(writesOf(text).toSorted()).toEqual(["a = 1 ? if spec.x", "a = 1 ? unless spec.x"]);
  });
});

describe("a way that cannot be read", () => {
  it("is its text, with its expressions, where no combination that was tried is YAML", () => {
    expect(read("a: 1\n{{#if spec.x}}\n{ unclosed {{spec.y}} {{values.text}}\n{{/if}}\n").writes).toEqual([
      { path: ["a"], written: "1", value: 1, conditions: [], position: { source: "t", line: 1, column: 4 } },
      {
        path: [],
        written: "a: 1\n{ unclosed {{spec.y}} str\n",
        conditions: [],
        position: { source: "t", line: 1, column: 1 },
      },
    ]);
  });

  it("is left out where another combination with the same branch is YAML", () => {
    const text = "{{#if spec.x}}\na:\n{{/if}}\n{{#if spec.y}}\n  b: 1\n{{/if}}\n";
    expect(writesOf(text)).toEqual(["a.b = 1 ? if spec.x, if spec.y", "a =  ? if spec.x", "b = 1 ? if spec.y"]);
  });
});

describe("the skeleton of a template", () => {
  const skeletonOf = (text: string, values: unknown = VALUES) => read(text, {}, values).skeleton;
  const TEXT = "a: 1\n{{#if spec.x}}\nb: {{spec.y}}\n{{/if}}\n";

  it.each([
    ["another value", "a: 2\n{{#if spec.x}}\nb: x\n{{/if}}\n"],
    ["a comment", "# why\na: 1\n{{#if spec.x}}\nb: {{spec.y}}\n{{/if}}\n"],
  ])("stays with %s", (_what, text) => {
    expect(skeletonOf(text)).toBe(skeletonOf(TEXT));
  });

  it.each([
    ["another condition", TEXT.replace("spec.x", "spec.z")],
    ["another field", TEXT.replace("b:", "c:")],
    ["a field more", `${TEXT}c: 1\n`],
    ["a field less", TEXT.replace("a: 1\n", "")],
    ["no condition", "a: 1\nb: {{spec.y}}\n"],
    ["another order", "{{#if spec.x}}\nb: {{spec.y}}\n{{/if}}\na: 1\n"],
    ["a condition within the condition", TEXT.replace("b:", "{{#if spec.z}}{{/if}}b:")],
    ["another branch", TEXT.replace("{{/if}}", "{{else}}\nc: 1\n{{/if}}")],
  ])("is another one with %s", (_what, text) => {
    expect(skeletonOf(text)).not.toBe(skeletonOf(TEXT));
  });

  it("is another one where a condition is in the other branch", () => {
    const inner = "{{#if spec.y}}\na: 1\n{{/if}}\n";
    const [yes, no] = [`${inner}{{else}}\n`, `{{else}}\n${inner}`].map((text) =>
      skeletonOf(`{{#if spec.x}}\n${text}{{/if}}\n`),
    );
    expect(yes).toContain("(spec.x ? (spec.y ?  : ) : )");
    expect(no).toContain("(spec.x ?  : (spec.y ?  : ))");
  });

  it("is another one whatever changes, where there are too many branches to read", () => {
    // Each calls the next one twice.
    const partials = Array.from({ length: 11 }, (_, at) => {
      const next = `{{> p${at + 1}}}\n`;
      return [`p${at}`, `{{#if spec.x${at}}}\n${next}${next}{{/if}}\n`];
    });
    const many = (last: string) => read("{{> p0}}\n", { ...Object.fromEntries(partials), p11: last }).skeleton;
    expect(many("b: 1\n")).toMatch(/^too many branches: /);
    expect(many("b: 2\n")).not.toBe(many("b: 1\n"));
    expect(many("b: 1\n")).toBe(many("b: 1\n"));
  });
});

it("templateWrites() gives the same object for equal inputs, and another for another value that is read", () => {
  const text = "a: {{values.text}}\n";
  expect(read(text)).toBe(read(text));
  expect(read(text, {}, { ...VALUES, number: 6 })).toBe(read(text));
  expect(read(text, {}, { ...VALUES, text: "other" })).not.toBe(read(text));
});
