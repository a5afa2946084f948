import { describe, expect, it } from "vitest";
import { type BoundValue, boundPath, boundProperty, constant, NOTHING, readerOf, register } from "./bound-value.ts";

const DATA: BoundValue = { kind: "data", constants: { values: { a: { b: 1 } }, none: undefined } };
const extended = (base: BoundValue, entries: Readonly<Record<string, BoundValue>>): BoundValue => ({
  kind: "extended",
  base,
  entries: new Map(Object.entries(entries)),
});
/** What a value is read as, with the data in the first register. */
const read = (value: BoundValue, ...registers: readonly unknown[]) => readerOf(value)(registers);

describe("a property", () => {
  it("of a constant is a constant, and never one of a prototype", () => {
    expect(boundProperty(constant({ a: 1 }), "a")).toEqual(constant(1));
    expect(boundProperty(constant({ a: 1 }), "toString")).toEqual(constant(undefined));
    expect(boundProperty(NOTHING, "a")).toEqual(constant(undefined));
  });

  it("of the data is a constant where its root is, also where that has no value", () => {
    expect(boundProperty(DATA, "values")).toEqual(constant({ a: { b: 1 } }));
    expect(boundProperty(DATA, "none")).toEqual(constant(undefined));
    expect(boundPath(DATA, ["values", "a", "b"])).toEqual(constant(1));
    const spec = boundPath(DATA, ["spec", "x"]);
    expect(spec.kind).toBe("dynamic");
    expect(read(spec, { spec: { x: 5 } })).toBe(5);
    expect(read(spec, {})).toBeUndefined();
    expect(read(boundProperty(DATA, "constructor"), {})).toBeUndefined();
  });

  it("of a value in a register is read from there", () => {
    const item = boundPath(register(1), ["a", "b"]);
    expect(read(item, {}, { a: { b: 7 } })).toBe(7);
    expect(read(item, {}, null)).toBeUndefined();
    expect(read(boundProperty(register(1), "constructor"), {}, {})).toBeUndefined();
  });

  it("of a partial's context is its argument, and otherwise what the context has", () => {
    const context = extended(DATA, { x: constant(5), values: register(1) });
    expect(boundProperty(context, "x")).toEqual(constant(5));
    expect(read(boundProperty(context, "values"), {}, "argument")).toBe("argument");
    expect(read(boundProperty(context, "spec"), { spec: 1 })).toBe(1);
  });
});

describe("readerOf()", () => {
  it("reads a constant, a register, and the data", () => {
    const data = { spec: 1 };
    expect(read(constant(5), data)).toBe(5);
    expect(read(register(2), data, 1, 2)).toBe(2);
    expect(read(DATA, data)).toBe(data);
  });

  it("reads a partial's context as one map, with its arguments over it", () => {
    expect(read(extended(DATA, { x: constant(5), spec: register(1) }), { spec: 0, metadata: 1 }, 7)).toEqual({
      spec: 7,
      metadata: 1,
      x: 5,
    });
    for (const none of [null, undefined, "text", 5])
      expect(read(extended(register(1), { x: constant(5) }), {}, none)).toEqual({ x: 5 });
  });
});
