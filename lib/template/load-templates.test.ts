import { describe, expect, test } from "vitest";
import { ownErrorOf } from "../../test/support/own-error-of.ts";
import { helpers } from "./helpers/helpers.ts";
import { type LoadOptions, loadTemplates, type TemplateData } from "./load-templates.ts";
import type { CompiledShape } from "./shape/shape.ts";
import { compileTemplates } from "./testing/render-text.ts";

function load(text: string, options: Partial<LoadOptions> = {}, partials: Record<string, string> = {}) {
  const compiled = compileTemplates({ templates: { t: text }, partials });
  return loadTemplates(JSON.parse(JSON.stringify(compiled)), { helpers, constants: {}, defaults: {}, ...options });
}

function render(text: string, data: TemplateData = {}, partials: Record<string, string> = {}) {
  return load(text, {}, partials).render("t", data);
}

describe("render()", () => {
  test("gives a whole plain scalar its own type when the value has one", () => {
    const spec = { a: "true", b: 5, c: false, d: { e: [1] } };
    const overlay = render("a: {{spec.a}}\nb: {{spec.b}}\nc: {{spec.c}}\nd: {{spec.d}}\n", { spec });
    expect(overlay).toEqual(spec);
    expect(overlay["d"]).toBe(spec.d);
  });

  test("gives an environment variable the value, and leaves a missing value out", () => {
    const text = "env:\n- name: A\n  value: {{spec.a}}\n- name: B\n  value: {{spec.b}}\n";
    expect(render(text, { spec: { a: "1" } })).toEqual({ env: [{ name: "A", value: "1" }, { name: "B" }] });
  });

  test("takes the text after an else-if chain that ends the template", () => {
    const text = "a: 1\n{{#if spec.x}}\nb: 2\n{{else if spec.y}}\nc: 3\n{{/if}}";
    expect(render(text, { spec: { x: 1 } })).toEqual({ a: 1, b: 2 });
    expect(render(text, { spec: { y: 1 } })).toEqual({ a: 1, c: 3 });
    expect(render(text, { spec: {} })).toEqual({ a: 1 });
  });

  test("says of a helper that fails by itself only that it failed", () => {
    const failing = {
      ...helpers,
      upper: {
        run: () => {
          throw new TypeError("internals");
        },
      },
    };
    const compiled = compileTemplates({ templates: { t: "a: {{upper spec.a}}\n" }, partials: {} });
    const loaded = loadTemplates(compiled, { helpers: failing, constants: {}, defaults: {} });
    const error = ownErrorOf(() => loaded.render("t", { spec: { a: "x" } }));
    expect(error.message).toContain("it failed on this value");
    expect(error.message).not.toContain("internals");
  });

  test("refuses partials that multiply beyond the limit", () => {
    const partials = { many: "{{> long}}".repeat(45), long: "{{spec.a}}".repeat(100) };
    const error = ownErrorOf(() => render("{{> many}}".repeat(46), {}, partials));
    expect([error.code, error.message]).toEqual(["template-invalid", expect.stringContaining("multiply to more than")]);
  });

  test("takes as many statements as the limit, and not one more", () => {
    const partials = { long: "{{#if false}}a{{/if}}".repeat(499) };
    expect(render("{{> long}}".repeat(400), {}, partials)).toEqual({});
    const error = ownErrorOf(() => render(`${"{{> long}}".repeat(400)}{{#if false}}a{{/if}}`, {}, partials));
    expect(error.message).toContain("multiply to more than 200000 statements");
  });

  test.each([
    ["a", "parameter"],
    ["a.deep", "deep of the parameter"],
    ["this.a", "field"],
    ["./a", "field"],
    ["../a", "outer field"],
    ["../this.a", "outer field"],
  ])("reads %s in a block with a parameter a as its %s", (path, expected) => {
    const context = (a: unknown) => Object.assign(Object.create(null), { a });
    const item = Object.assign(context("field"), { p: "parameter", q: { deep: "deep of the parameter" } });
    const outer = Object.assign(context("outer field"), { list: [item] });
    const argument = path === "a.deep" ? "q" : "p";
    const text = `{{#with spec.outer}}{{#each list}}{{#let ${argument} as |a|}}x: {{${path}}}\n{{/let}}{{/each}}{{/with}}`;
    expect(render(text, { spec: { outer } })).toEqual({ x: expected });
  });

  test.each([
    ["{{#with spec.a as |x|}}v: {{x.b}}, {{b}}{{#with x.c}}, {{x.b}}, {{../b}}{{/with}}{{/with}}", "1, 1, 1, 1"],
    ["{{#with (lookup spec 'a') as |x|}}v: {{x.b}}, {{b}}{{/with}}", "1, 1"],
    ["{{#with values.a as |x|}}v: {{x.b}}, {{b}}{{/with}}", "2, 2"],
    ["{{#let spec.a 3 as |x z|}}v: {{x.b}}, {{z}}{{/let}}", "1, 3"],
    ["v: '{{#each spec.list as |x i|}}{{i}}{{x.b}} {{/each}}'", "04 15 "],
    ["v: '{{#each spec.a as |x k|}}{{k}} {{/each}}'", "b c "],
    ["v: '{{#each values.list as |x i|}}{{i}}{{x}} {{/each}}'", "06 17 "],
    ["v: '{{#each spec.list as |x|}}{{#each ../spec.list as |z|}}{{x.b}}{{z.b}} {{/each}}{{/each}}'", "44 45 54 55 "],
  ])("gives a block's value its name: %s", (text, v) => {
    const values = { a: { b: 2 }, list: [6, 7] };
    const spec = { a: { b: 1, c: { d: 1 } }, list: [{ b: 4 }, { b: 5 }] };
    expect(render(text, { spec, values })["v"]).toBe(v);
  });

  test.each([
    ["", undefined],
    ["includeZero=true", 1],
    ["includeZero=false", undefined],
    ["includeZero=false includeZero=true", 1],
    ["includeZero=true includeZero=false", undefined],
  ])("decides {{#if 0 %s}} as Handlebars does: the last one counts", (options, taken) => {
    expect(render(`{{#if spec.n ${options}}}a: 1\n{{/if}}`, { spec: { n: 0 } })["a"]).toBe(taken);
    expect(render(`{{#if 0 ${options}}}a: 1\n{{/if}}`)["a"]).toBe(taken);
  });

  test("joins values as text in longer, quoted or block scalars", () => {
    const text = 'a: x-{{spec.n}}\nb: "{{spec.n}}"\nc: |\n  {{spec.n}} {{spec.l}}\n{{spec.n}}: k\n';
    expect(render(text, { spec: { n: 5, l: [1, "b"] } })).toEqual({ a: "x-5", b: "5", c: "5 1,b\n", "5": "k" });
  });

  test("leaves the entry or item out when the whole value is missing or null", () => {
    expect(render("a: {{spec.no}}\nb: [1, {{spec.nil}}]\nc: null\nd: x{{spec.no}}\n", { spec: { nil: null } })).toEqual(
      {
        b: [1],
        c: null,
        d: "x",
      },
    );
  });

  test("resolves roots everywhere, and fields of an item by this. and by names that are not roots", () => {
    const data = {
      values: { x: "root" },
      metadata: { name: "pod" },
      spec: { containers: [{ name: "web", metadata: { name: "item" } }] },
    };
    const text = `{{#each spec.containers}}
a: {{values.x}}
b: {{metadata.name}}
c: {{this.metadata.name}}
d: {{./metadata.name}}
e: {{name}}
{{#with this}}
{{#if true}}
f: {{values.x}}
{{/if}}
{{/with}}
{{#let this as |values|}}
g: {{values.name}}
{{/let}}
{{> p values="argument"}}
{{> q this}}
{{/each}}
`;
    const partials = {
      p: "h: {{values}}\n{{#with metadata}}\ni: {{values}}\n{{/with}}\n",
      q: "j: {{values.x}}\nk: {{name}}\n",
    };
    expect(render(text, data, partials)).toEqual({
      a: "root",
      b: "pod",
      c: "item",
      d: "item",
      e: "web",
      f: "root",
      g: "web",
      h: "argument",
      i: "argument",
      j: "root",
      k: "web",
    });
  });

  test("leaves a field out when nothing is written under it, and deletes only with a literal null", () => {
    const text = "a:\nb:\n  {{#if spec.no}}\n  c: 1\n  {{/if}}\nd: null\ne: ~\nf: [1, ]\ng:\n- \n- 1\n";
    expect(render(text, { spec: {} })).toEqual({ d: null, e: null, f: [1], g: [1] });
  });

  test("names the place when an object is inside a text", () => {
    const error = ownErrorOf(() => render("a:\n  b: x{{spec}}\n", { spec: {} }));
    expect(error).toMatchObject({ code: "template-render", line: 2, column: 7 });
    expect(error.message).toContain("toJson");
  });

  test("names the place in the partial when its YAML is wrong", () => {
    const error = ownErrorOf(() => render("a: 1\n{{> p}}\n", {}, { p: "b: 2\nc: : 3\n" }));
    expect(error).toMatchObject({ code: "template-render", path: "partials/p", line: 2 });
  });

  test.each([
    ["a comment", "# {{revision}}\na: 1\n"],
    ["an anchor", "a: &{{revision}} 1\n"],
    ["a tag", "a: !{{revision}} 1\n"],
  ])("refuses a slot in %s", (_, text) => {
    expect(ownErrorOf(() => render(text, { revision: "r" })).code).toBe("template-render");
  });

  test("gives the same frozen objects each time when nothing depends on the data", () => {
    const set = load("a: {b: [1]}\nc: {{revision}}\n");
    const first = set.render("t", { revision: "1" });
    const second = set.render("t", { revision: "2" });
    expect(second["a"]).toBe(first["a"]);
    expect(Object.isFrozen(first["a"])).toBe(true);
  });

  test("makes an empty overlay when the text is empty", () => {
    expect(render("{{#if revision}}a: 1{{/if}}")).toEqual({});
  });

  test("names helper, line and column when a helper refuses a value", () => {
    const error = ownErrorOf(() => render("a: 1\nb: {{len (keys\n  (int spec.x))}}\n", { spec: { x: "secret" } }));
    expect(error).toMatchObject({ code: "template-render", path: "t", line: 3, column: 3 });
    expect(error.message).toBe('Cannot render template "t": helper "int": an integer is expected (line 3, column 3)');
  });

  test("throws nothing but its own error when a helper fails in another way", () => {
    const set = load("a: {{len spec}}", {
      helpers: { ...helpers, len: { run: () => (undefined as unknown as string).length } },
    });
    expect(ownErrorOf(() => set.render("t", {}))).toMatchObject({ code: "template-render", line: 1, column: 4 });
  });

  test("says template-unknown when there is no such template", () => {
    expect(ownErrorOf(() => load("").render("toString", {})).code).toBe("template-unknown");
  });

  test.each([
    ["a list", "- a\n"],
    ["a text", "a\n"],
    ["a bound text", "{{revision}}\n"],
    ["two documents", "a: 1\n---\nb: 1\n"],
    ["a key twice", "a: 1\na: 2\n"],
    ["an endless alias", "a: &a [*a]\n"],
    ["an infinite number", "a: .inf\n"],
  ])("refuses an overlay that is %s", (_, text) => {
    expect(ownErrorOf(() => render(text, { revision: "r" })).code).toBe("template-render");
  });

  test("reads static scalars and aliases as kubectl does", () => {
    expect(render("a: on\nb: 0755\nc: &x {d: {{revision}} }\ne: *x\nf: {<<: *x, g: 1}\n", { revision: "r" })).toEqual({
      a: true,
      b: 493,
      c: { d: "r" },
      e: { d: "r" },
      f: { d: "r", g: 1 },
    });
  });

  test("defines a bound key when it is __proto__, and lets the later of two equal keys win", () => {
    const overlay = render("{{spec.a}}: { x: 1 }\n{{spec.b}}: 2\nk: 3\n", { spec: { a: "__proto__", b: "k" } });
    expect(Object.getPrototypeOf(overlay)).toBe(Object.prototype);
    expect(Object.entries(overlay)).toEqual([
      ["__proto__", { x: 1 }],
      ["k", 3],
    ]);
  });

  test("keeps nulls and merge directives out when they come with a value", () => {
    const spec = { key: "$patch", whole: { a: null, $patch: "delete", b: [{ "$setElementOrder/x": [] }, null, 1] } };
    expect(render("{{spec.key}}: delete\nw: {{spec.whole}}\n$patch: replace\n", { spec })).toEqual({
      w: { b: [{}, 1] },
      $patch: "replace",
    });
  });

  test("refuses a value that is nested too deeply, whole and as text", () => {
    let spec: unknown = "x";
    for (let depth = 0; depth < 100_000; depth++) spec = [spec];
    expect(ownErrorOf(() => render("a: {{spec}}", { spec })).message).toContain("256 levels");
    expect(ownErrorOf(() => render("a: x{{spec}}", { spec })).message).toContain("too deeply");
    expect(ownErrorOf(() => render("a: {{toJson spec}}", { spec })).code).toBe("template-render");
  });

  test("takes the white space before the closing tag of an else-if chain for indentation, not for text", () => {
    const text = "a:\n  {{#if spec.x}}\n  b: 1\n  {{else if spec.y}}\n  b: 2\n  {{else}}\n  b: 3\n  {{/if}}\n  c: 4\n";
    for (const [spec, b] of [
      [{ x: 1 }, 1],
      [{ y: 1 }, 2],
      [{}, 3],
    ] as const) {
      expect(render(text, { spec })).toEqual({ a: { b, c: 4 } });
    }
  });

  test("indents a partial's lines, and its block scalars with them, but not the values", () => {
    const overlay = render(
      "a:\n    {{> p v=spec.v}}\nz: 1\n",
      { spec: { v: "x\ny" } },
      { p: "b: |\n  {{v}}\n  c\n\n  d\ne: 1\n" },
    );
    expect(overlay).toEqual({ a: { b: "x\ny\nc\n\nd\n", e: 1 }, z: 1 });
  });

  test("never reaches a prototype by a path, lookup or index", () => {
    const names = ["constructor", "__proto__", "toString", "a.constructor", "list.map", "text.at"];
    const text = names.map((name, index) => `k${index}: {{spec.${name}}}\n`).join("");
    const spec = { a: {}, list: [], text: "abc" };
    expect(render(`${text}l: {{lookup spec "constructor"}}\ni: {{index spec "__proto__"}}\n`, { spec })).toEqual({});
    expect(render("a: {{spec.constructor}}", { spec: JSON.parse('{"constructor":"own"}') })).toEqual({ a: "own" });
  });
});

describe("loadTemplates()", () => {
  const text =
    'a: {{values.x}}\n{{#each values.list}}\n{{this}}: {{@index}}\n{{else}}\nnone: true\n{{/each}}\n{{#if (eq proxyConfig.mode "M")}}m: {{proxyConfig.mode}}{{else}}o: {{proxyConfig.mode}}{{/if}}\nn: {{metadata.name}}\n';

  test("renders the same when roots are constant, default or neither", () => {
    for (const mode of ["M", "O"]) {
      for (const list of [[], ["p", "q"], undefined, { k: "v" }]) {
        const data = { values: { x: { y: 1 }, list }, proxyConfig: { mode }, metadata: { name: "n" } };
        const expected = load(text).render("t", data);
        const { values, proxyConfig } = data;
        expect(load(text, { constants: { values } }).render("t", data)).toEqual(expected);
        const set = load(text, { constants: { values }, defaults: { proxyConfig } });
        expect(set.render("t", data)).toEqual(expected);
        expect(set.render("t", { ...data, proxyConfig: { mode } })).toEqual(expected);
      }
    }
  });

  test("renders by the data when a default root is another object", () => {
    const proxyConfig = { mode: "M" };
    const set = load(text, { constants: { values: {} }, defaults: { proxyConfig } });
    expect(set.render("t", { proxyConfig, metadata: {} })).toEqual({ none: true, m: "M" });
    expect(set.render("t", { proxyConfig: { mode: "O" }, metadata: {} })).toEqual({ none: true, o: "O" });
  });

  test("leaves what it was given unfrozen and shares no constant that could be edited later", () => {
    const values = { x: { y: 1 } };
    const overlay = load("a: {{values.x}}\n", { constants: { values } }).render("t", { values });
    expect(Object.isFrozen(values.x)).toBe(false);
    expect(Object.isFrozen(overlay["a"])).toBe(true);
  });

  test("leaves the error of a constant call to the rendering that gets there", () => {
    const set = load("{{#if revision}}a: {{int values.x}}{{/if}}\nb: 1\n", { constants: { values: { x: "no" } } });
    expect(set.render("t", {})).toEqual({ b: 1 });
    expect(ownErrorOf(() => set.render("t", { revision: "r" }))).toMatchObject({ code: "template-render", column: 20 });
  });

  test("iterates over a constant list that is too long to unroll", () => {
    const list = Array.from({ length: 200 }, (_, index) => `k${index}`);
    const overlay = load("{{#each values.list as |key at|}}\n{{key}}: {{at}}\n{{/each}}", {
      constants: { values: { list } },
    }).render("t", {});
    expect(Object.keys(overlay)).toEqual(list);
  });

  test("needs no YAML for shapes that it is given, and gives them on", () => {
    const data = [
      { metadata: { name: "a", labels: { x: "1" } } },
      { metadata: { name: "b" } },
      { metadata: { name: "c", labels: { x: "1", y: "2" } } },
    ];
    const source =
      'n: "{{metadata.name}}"\n{{#each metadata.labels}}\nl-{{@key}}: { v: {{this}}, s: [1] }\n{{/each}}\n';
    const first = load(source, { constants: { values: {} } });
    const overlays = data.map((one) => first.render("t", one));
    const shapes = JSON.parse(JSON.stringify(first.shapes()));
    expect(shapes).toHaveLength(3);
    const second = load(source, { constants: { values: {} }, shapes: withMark(shapes) });
    expect(data.map((one) => second.render("t", one))).toEqual(overlays.map((overlay) => ({ ...overlay, mark: true })));
    expect(second.shapes()).toHaveLength(3);
  });

  test("works nothing out before the first rendering when it is given shapes", () => {
    const source = "a: {{toJson values}}\n";
    const constants = { values: { x: 1 } };
    const first = load(source, { constants });
    const overlay = first.render("t", constants);
    const calls: unknown[] = [];
    const toJson = { run: (args: readonly unknown[]) => calls.push(args) && JSON.stringify(args[0]) };
    const counting = { ...helpers, toJson };
    const second = load(source, { constants, helpers: counting, shapes: first.shapes() });
    expect(calls).toEqual([]);
    expect(second.render("t", constants)).toEqual(overlay);
    expect(calls.length).toBeGreaterThan(0);
  });

  test("ignores shapes of other constants, since those took other decisions", () => {
    const source = "a: 1\n{{#if values.x}}b: 2{{/if}}\n";
    const first = load(source, { constants: { values: { x: true } } });
    first.render("t", {});
    const second = load(source, { constants: { values: { x: false } }, shapes: first.shapes() });
    expect(second.render("t", {})).toEqual({ a: 1 });
  });

  test("gives the shapes of the roots that most pods share apart from those of others", () => {
    const proxyConfig = { mode: "M" };
    const source = '{{#if (eq proxyConfig.mode "M")}}m: {{metadata.name}}{{else}}o: 1{{/if}}\n';
    const options = { constants: {}, defaults: { proxyConfig } };
    const set = load(source, options);
    expect(set.shapes()).toEqual([]);
    set.render("t", { proxyConfig, metadata: { name: "a" } });
    set.render("t", { proxyConfig: { mode: "M" }, metadata: { name: "a" } });
    set.render("t", { proxyConfig: { mode: "O" }, metadata: { name: "a" } });
    const shapes = set.shapes();
    expect(shapes.map(({ template, usual }) => [template, usual])).toEqual([
      ["t", true],
      ["t", false],
      ["t", false],
    ]);
    expect(new Set(shapes.map(({ fingerprint }) => fingerprint)).size).toBe(1);
    // A set that renders nothing gives on what it was given, but for shapes of other constants.
    expect(load(source, { ...options, shapes }).shapes()).toEqual(shapes);
    expect(load(source, { ...options, constants: { values: 1 }, shapes }).shapes()).toEqual([]);
    const again = load(source, { ...options, shapes });
    expect(again.render("t", { proxyConfig, metadata: { name: "b" } })).toEqual({ m: "b" });
    expect(again.render("t", { proxyConfig: { mode: "O" }, metadata: { name: "b" } })).toEqual({ o: 1 });
  });

  test("knows its templates, and which texts they have", () => {
    const compiled = compileTemplates({
      templates: { b: "{{> p}}", a: "x" },
      partials: { p: '{{lookup spec "y/z"}}' },
    });
    const set = loadTemplates(compiled, { helpers, constants: {}, defaults: {} });
    expect(set.names).toEqual(["b", "a"]);
    expect(["y/z", "spec", "y", "z/y"].map(set.isRead)).toEqual([true, true, false, false]);
  });

  test.each([
    ["- a\n", "a list"],
    ["a\n", "text"],
    ["{{spec.list}}", "a list"],
    ["{{spec.text}}", "text"],
  ])("says of %j what it renders in place of a pod's fields", (source, what) => {
    const error = ownErrorOf(() => render(source, { spec: { list: [1], text: "a" } }));
    expect(error).toMatchObject({ code: "template-render", path: "t", line: 1, column: 1 });
    expect(error.message).toBe(
      `Cannot render template "t": it renders ${what} instead of a pod's fields (metadata, spec)`,
    );
  });

  test("renders nothing for a whole value that is missing", () => {
    expect(render("{{spec.none}}", { spec: {} })).toEqual({});
    expect(render("null\n")).toEqual({});
    expect(render("{{spec.map}}", { spec: { map: { a: 1 } } })).toEqual({ a: 1 });
  });

  test("refuses another version of the dense form", () => {
    const compiled = compileTemplates({ templates: {}, partials: {} });
    const run = () => loadTemplates({ ...compiled, format: 99 }, { helpers, constants: {}, defaults: {} });
    expect(ownErrorOf(run)).toMatchObject({
      code: "release-unsupported",
      message: "Cannot load templates of format 99: this version reads format 2, publish again",
    });
  });

  test("renders thousands of items in one list", () => {
    const containers = Array.from({ length: 3000 }, (_, index) => ({ name: `c${index}` }));
    const overlay = render("list:\n{{#each spec.containers}}\n- name: {{name}}\n{{/each}}\n", { spec: { containers } });
    expect(overlay).toEqual({ list: containers });
  });
});

/** Shapes that show that they were used. */
function withMark(shapes: readonly CompiledShape[]): readonly CompiledShape[] {
  return shapes.map((compiled) => {
    if (compiled.shape[0] !== "map") throw new Error("expected a map");
    return { ...compiled, shape: ["map", [...compiled.shape[1], ["mark", ["static", true]]]] };
  });
}
