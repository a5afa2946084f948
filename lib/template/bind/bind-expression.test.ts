import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import type { CallExpression, Expression, PathExpression } from "../compiled-templates.ts";
import type { HelperFunctions } from "../helpers/helper.ts";
import { bindExpression, contextOf, type Names, parameterOf, slotExpression } from "./bind-expression.ts";
import { type BoundValue, constant, readerOf, register } from "./bound-value.ts";
import { startBudget } from "./render-budget.ts";

const calls: (readonly unknown[])[] = [];
const helpers: HelperFunctions = {
  all: {
    run: (args, hash) => {
      calls.push(args);
      return { args, hash: { ...hash } };
    },
  },
  refuse: {
    run: () => {
      throw new OutriggerError("template-render", "a reason");
    },
  },
  exceed: {
    run: () => {
      throw new RangeError("too long");
    },
  },
  fail: {
    run: () => {
      throw new TypeError("internals");
    },
  },
  join: {
    run: ([first, ...others]) => `run ${[first, ...others].join("-")}`,
    ofFirst: (others) => {
      if (others.includes("bad")) throw new Error("not now");
      return (first) => {
        if (first === "bad") throw new OutriggerError("template-render", "a bad value");
        return `first ${[first, ...others].join("-")}`;
      };
    },
  },
};

const data: BoundValue = { kind: "data", constants: { values: { a: { b: 1 }, zero: 0 }, revision: "r" } };
const NAMES: Names = { source: "t", helpers, data, contexts: [data], parameters: new Map(), loops: [] };
const SPEC = { spec: { a: { b: 7 }, zero: 0, empty: "", key: "b", list: ["x", "y"], bad: "bad" } };

const literal = (value: string | number | boolean | null): Expression => ({ kind: "literal", value });
const path = (text: string, more: Partial<PathExpression> = {}): PathExpression => ({
  kind: "path",
  depth: 0,
  scoped: false,
  parts: text === "" ? [] : text.split("."),
  ...more,
});
const call = (helper: string, args: readonly Expression[], hash: CallExpression["hash"] = []): Expression => ({
  kind: "call",
  helper,
  args,
  hash,
  line: 3,
  column: 5,
});

/** What an expression is: known when it is bound, or read with the data and other registers. */
function resultOf(expression: Expression, names: Partial<Names> = {}, ...registers: readonly unknown[]) {
  const bound = bindExpression(expression, { ...NAMES, ...names });
  if (bound.kind === "constant") return { known: bound.value };
  startBudget("t", {});
  return { read: readerOf(bound)([SPEC, ...registers]) };
}

describe("a path", () => {
  const inner = register(1);
  const within: Partial<Names> = { contexts: [inner, data], parameters: new Map([["p", register(2)]]) };
  const read = (expression: Expression) =>
    resultOf(expression, within, { spec: "field", p: "field", c: { d: 5 } }, { q: "parameter" });

  it.each<[string, Expression, unknown]>([
    ["a field of the context", path("c.d"), 5],
    ["a parameter", path("p"), { q: "parameter" }],
    ["a field of a parameter", path("p.q"), "parameter"],
    ["a field that a parameter hides", path("p", { scoped: true }), "field"],
    ["a root of the data, also in another context", path("spec.a.b"), 7],
    ["a field of a root's name", path("spec", { scoped: true }), "field"],
    ["the context around", path("spec.a.b", { depth: 1, scoped: true }), 7],
    ["no parameter in the context around", path("p", { depth: 1 }), undefined],
    ["a context that is not there", path("a", { depth: 5 }), undefined],
  ])("is %s", (_what, expression, value) => {
    const found = read(expression);
    expect("read" in found ? found.read : found.known).toEqual(value);
  });

  it("is known where its root is", () => {
    expect(resultOf(path("values.a.b"))).toEqual({ known: 1 });
    expect(resultOf(path("values.none.b"))).toEqual({ known: undefined });
    expect(resultOf(path("spec.a.b"))).toEqual({ read: 7 });
  });

  it("of a root's name is a partial's argument of that name", () => {
    const context: BoundValue = { kind: "extended", base: data, entries: new Map([["values", constant("argument")]]) };
    expect(contextOf(path("values"), { ...NAMES, contexts: [inner, context] })).toBe(context);
    expect(contextOf(path("spec"), { ...NAMES, contexts: [inner, context] })).toBe(data);
    expect(contextOf(path("other"), { ...NAMES, contexts: [inner, context] })).toBe(inner);
    expect(contextOf(path("values", { scoped: true }), { ...NAMES, contexts: [inner, context] })).toBe(inner);
    expect(resultOf(path("values"), { contexts: [context] })).toEqual({ known: "argument" });
  });

  it("starts from a parameter where it has its name, and is not scoped", () => {
    const names = { parameters: new Map([["p", inner]]) } as never as Names;
    expect(parameterOf(path("p.a"), names)).toBe(inner);
    expect(parameterOf(path("q"), names)).toBeUndefined();
    expect(parameterOf(path("p", { scoped: true }), names)).toBeUndefined();
    expect(parameterOf(path("p", { depth: 1 }), names)).toBeUndefined();
  });
});

describe("a variable", () => {
  const loop = (from: number) => ({
    key: register(from),
    index: constant(from),
    first: constant(true),
    last: constant(false),
  });
  const variable = (text: string, depth = 0): Expression => ({ kind: "data", depth, parts: text.split(".") });
  const names: Partial<Names> = { loops: [loop(1), loop(2)] };

  it.each<[string, number, object]>([
    ["root.values.a.b", 0, { known: 1 }],
    ["root.spec.key", 0, { read: "b" }],
    ["key", 0, { read: { k: "inner" } }],
    ["key.k", 0, { read: "inner" }],
    ["key", 1, { read: "outer" }],
    ["index", 0, { known: 1 }],
    ["index", 1, { known: 2 }],
    ["first", 0, { known: true }],
    ["last", 0, { known: false }],
    ["index", 2, { known: undefined }],
    ["other", 0, { known: undefined }],
    ["toString", 0, { known: undefined }],
  ])("@%s, %d loops out, is %j", (text, depth, expected) => {
    expect(resultOf(variable(text, depth), names, { k: "inner" }, "outer")).toEqual(expected);
  });
});

describe("a lone name in a tag", () => {
  const names: Names = { ...NAMES, parameters: new Map([["join", register(1)]]) };

  it("is a call where a helper has it", () => {
    expect(slotExpression(path("all"), 2, 4, names)).toEqual({
      kind: "call",
      helper: "all",
      args: [],
      hash: [],
      line: 2,
      column: 4,
    });
  });

  it.each<[string, Expression]>([
    ["no helper has the name", path("spec")],
    ["it is one that all objects have", path("toString")],
    ["a parameter has the name", path("join")],
    ["it is scoped", path("all", { scoped: true })],
    ["it is of the context around", path("all", { depth: 1 })],
    ["it has more parts", path("all.b")],
    ["it has none", path("", { scoped: true })],
    ["it is a call already", call("all", [])],
    ["it is a literal", literal("all")],
  ])("is what it was where %s", (_what, expression) => {
    expect(slotExpression(expression, 2, 4, names)).toBe(expression);
  });
});

describe("a call", () => {
  it.each([0, 1, 2, 3, 4])("has its %d arguments, known or read", (count) => {
    const args = Array.from({ length: count }, (_, at) => literal(at));
    expect(resultOf(call("all", args))).toEqual({ known: { args: args.map((_, at) => at), hash: {} } });
    const withPath = [path("spec.key"), ...args.slice(1)];
    if (count > 0)
      expect(resultOf(call("all", withPath))).toEqual({
        read: { args: ["b", ...args.slice(1).map((_, at) => at + 1)], hash: {} },
      });
  });

  it("has its named arguments, known or read", () => {
    const hash = (value: Expression) => [
      { key: "x", value: literal(1) },
      { key: "y", value },
    ];
    expect(resultOf(call("all", [], hash(literal(2))))).toEqual({ known: { args: [], hash: { x: 1, y: 2 } } });
    expect(resultOf(call("all", [literal(0)], hash(path("spec.key"))))).toEqual({
      read: { args: [0], hash: { x: 1, y: "b" } },
    });
  });

  it("is made once where all of its arguments are known", () => {
    calls.length = 0;
    const bound = bindExpression(call("all", [literal(1), path("revision")]), NAMES);
    expect(bound).toMatchObject({ kind: "constant" });
    expect(calls).toEqual([[1, "r"]]);
  });

  it("of a helper that can be prepared is prepared with what is known", () => {
    expect(resultOf(call("join", [path("spec.key"), literal("x")]))).toEqual({ read: "first b-x" });
    expect(resultOf(call("join", [path("spec.key")]))).toEqual({ read: "first b" });
    // All is known, another argument is not, the arguments are named, or it cannot be prepared.
    expect(resultOf(call("join", [literal("a"), literal("x")]))).toEqual({ known: "run a-x" });
    expect(resultOf(call("join", [path("spec.key"), path("spec.key")]))).toEqual({ read: "run b-b" });
    expect(resultOf(call("join", [path("spec.key")], [{ key: "k", value: literal(1) }]))).toEqual({ read: "run b" });
    expect(resultOf(call("join", [path("spec.key"), literal("bad")]))).toEqual({ read: "run b-bad" });
  });

  it.each<[string, readonly Expression[], string]>([
    ["refuse", [path("spec.key")], "a reason"],
    ["exceed", [path("spec.key")], "too long"],
    ["fail", [path("spec.key")], "it failed on this value"],
    ["join", [path("spec.bad"), literal("x")], "a bad value"],
    // Known when it is bound, and said when it is rendered.
    ["refuse", [literal(1)], "a reason"],
    ["fail", [], "it failed on this value"],
  ])("of %s with %j says where it fails, and why", (helper, args, reason) => {
    expect(() => resultOf(call(helper, args))).toThrow(
      `Cannot render template "t": helper "${helper}": ${reason} (line 3, column 5)`,
    );
  });

  it("of a helper that is not known is refused when it is bound", () => {
    for (const name of ["other", "toString"])
      expect(() => bindExpression(call(name, []), NAMES)).toThrow(
        `helper "${name}": it is not known (line 3, column 5)`,
      );
  });

  it("leaves an argument's failure to the argument", () => {
    const inner = { ...(call("refuse", [path("spec.key")]) as CallExpression), line: 9 };
    expect(() => resultOf(call("all", [inner]))).toThrow('helper "refuse": a reason (line 9, column 5)');
  });

  it("counts the characters and items that it takes and makes", () => {
    const long = "x".repeat(150_000);
    const bound = bindExpression(call("all", [register0(), literal(1)]), NAMES);
    startBudget("t", {});
    readerOf(bound)([long]);
    expect(() => readerOf(bound)([long])).toThrow("it takes more than");
    const making = bindExpression(call("make", [path("spec.key")]), {
      ...NAMES,
      helpers: { make: { run: () => long } },
    });
    startBudget("t", {});
    readerOf(making)([SPEC]);
    expect(() => readerOf(making)([SPEC])).toThrow("it takes more than");
  });
});

/** All data. */
function register0(): Expression {
  return path("", { scoped: true });
}

describe("lookup", () => {
  it.each<[string, readonly Expression[], object]>([
    ["a known key of a known map", [path("values.a"), literal("b")], { known: 1 }],
    ["a known key of a map of the pod", [path("spec.a"), literal("b")], { read: 7 }],
    ["a key of the pod in a known map", [path("values.a"), path("spec.key")], { read: 1 }],
    ["a key of the pod in its map", [path("spec.a"), path("spec.key")], { read: 7 }],
    ["a known root", [path("", { scoped: true }), literal("revision")], { known: "r" }],
    ["a root of the pod", [path("", { scoped: true }), literal("spec")], { read: SPEC.spec }],
    ["an item", [path("spec.list"), literal(1)], { read: "y" }],
    ["a key that is no text", [path("spec.a"), literal(true)], { read: undefined }],
    ["what every object has", [path("spec.a"), literal("toString")], { read: undefined }],
    ["a key of nothing, which is nothing", [path("spec.none"), literal("b")], { read: undefined }],
    ["a key of 0, which is 0", [path("spec.zero"), literal("b")], { read: 0 }],
    ["a key of an empty text, which it is", [path("spec.empty"), literal("b")], { read: "" }],
    ["a key of a known 0", [path("values.zero"), literal("b")], { known: 0 }],
    ["no key", [path("spec.a")], { read: undefined }],
    ["nothing at all", [], { known: undefined }],
  ])("gives %s", (_what, args, expected) => {
    expect(resultOf(call("lookup", args))).toEqual(expected);
  });
});
