import { describe, expect, it } from "vitest";
import type { TemplatePosition } from "../finding.ts";
import {
  type Bound,
  type Build,
  choose,
  EMPTY,
  inSequence,
  named,
  type Run,
  readOnce,
  repeat,
  runAll,
  type Scope,
  under,
  within,
  withParameters,
} from "./bound-program.ts";
import { constant, readerOf, register } from "./bound-value.ts";
import { spend, startBudget } from "./render-budget.ts";
import { branchKeyOf, branchKeyReader, startRender } from "./render-state.ts";
import type { Decision, Piece } from "./text-pieces.ts";

const position: TemplatePosition = { source: "t", line: 1, column: 1 };
const text = (written: string): Piece => ({ kind: "text", text: written, position });

/** A program that writes a text, and notes that it ran. */
function noting(written: string, ran: string[]): Bound {
  return { pieces: [text(written)], run: () => void ran.push(written) };
}

/** Runs a program with registers; its decisions are read back to one more than there are. */
function ran(bound: Bound, registers: readonly unknown[], decisions: number): readonly boolean[] {
  startBudget("t", {});
  const state = startRender([...registers]);
  bound.run?.(state);
  const read = branchKeyReader(branchKeyOf(state));
  return Array.from({ length: decisions }, () => read());
}

describe("choose()", () => {
  it.each([
    [true, "yes"],
    [1, "yes"],
    ["", "no"],
    [undefined, "no"],
  ])("takes for %j the branch %s, and binds no other", (value, branch) => {
    const seen: string[] = [];
    const bindings: string[] = [];
    const branchOf = (name: string) => () => {
      bindings.push(name);
      return noting(name, seen);
    };
    const chosen = choose((registers) => registers[0], branchOf("yes"), branchOf("no"), { position, condition: "c" });
    expect(bindings).toEqual([]);
    expect(ran(chosen, [value], 1)).toEqual([branch === "yes"]);
    ran(chosen, [value], 1);
    expect(seen).toEqual([branch, branch]);
    expect(bindings).toEqual([branch]);
    const [piece] = chosen.pieces as [Decision];
    expect(piece).toMatchObject({ kind: "choice", position, condition: "c" });
    expect([piece.yes(), piece.no()]).toEqual([[text("yes")], [text("no")]]);
  });

  it("takes a branch that has nothing to run", () => {
    const chosen = choose(
      (registers) => registers[0],
      () => EMPTY,
      () => EMPTY,
      { position },
    );
    expect(ran(chosen, [true], 1)).toEqual([true]);
  });
});

describe("programs in sequence", () => {
  it("write and run one after the other", () => {
    const seen: string[] = [];
    const bound = inSequence([noting("a", seen), { pieces: [text("b")], run: undefined }, noting("c", seen)]);
    expect(bound.pieces).toEqual(["a", "b", "c"].map(text));
    ran(bound, [], 0);
    expect(seen).toEqual(["a", "c"]);
  });

  it("are the only one, and nothing where there is none", () => {
    const only = noting("a", []);
    expect(inSequence([only])).toBe(only);
    expect(inSequence([])).toEqual(EMPTY);
    const run: Run = () => {};
    expect(runAll([])).toBeUndefined();
    expect(runAll([run])).toBe(run);
  });
});

describe("repeat()", () => {
  const seen: unknown[] = [];
  const body: Bound = { pieces: [text("item")], run: ({ registers }) => void seen.push(registers.slice(2)) };
  const other: Bound = { pieces: [text("none")], run: () => void seen.push("none") };
  const loop = repeat((registers) => registers[0], 2, body, other, { position });

  it.each<[unknown, readonly unknown[]]>([
    [
      ["x", "y"],
      [
        ["x", 0, 0, true, false],
        ["y", 1, 1, false, true],
      ],
    ],
    [{ b: 5 }, [[5, "b", 0, true, true]]],
    [[], ["none"]],
    [{}, ["none"]],
    [null, ["none"]],
    ["text", ["none"]],
    [7, ["none"]],
  ])("of %j puts its items, keys and places into registers", (value, expected) => {
    seen.length = 0;
    const count = expected[0] === "none" ? 0 : expected.length;
    expect(ran(loop, [value, "before"], count + 1)).toEqual([...Array(count).fill(true), false]);
    expect(seen).toEqual(expected);
    const [piece] = loop.pieces as [Decision];
    expect([piece.kind, piece.yes(), piece.no()]).toEqual(["loop", body.pieces, other.pieces]);
  });

  it("decides for each item also where nothing is to be run", () => {
    const empty = repeat((registers) => registers[0], 2, EMPTY, EMPTY, { position });
    expect(ran(empty, [[1, 2, 3]], 4)).toEqual([true, true, true, false]);
    expect(ran(empty, [[]], 1)).toEqual([false]);
  });

  it("counts its items", () => {
    startBudget("t", {});
    loop.run?.(startRender([Array(150_000).fill(0)]));
    expect(() => spend(100_000)).toThrow("it takes more than");
  });
});

describe("a scope", () => {
  const scope = {
    contexts: [constant("outer")],
    parameters: new Map([["a", constant(1)]]),
    loops: [],
  } as never as Scope;

  it("within a context has it first, and its parameters besides", () => {
    const inner = within(scope, constant("inner"), [
      ["b", constant(2)],
      [undefined, constant(3)],
    ]);
    expect(inner.contexts).toEqual([constant("inner"), constant("outer")]);
    expect([...inner.parameters]).toEqual([
      ["a", constant(1)],
      ["b", constant(2)],
    ]);
    expect(withParameters(scope, [["a", constant(4)]]).parameters.get("a")).toEqual(constant(4));
    expect(scope.parameters.get("a")).toEqual(constant(1));
    expect(scope.contexts).toHaveLength(1);
  });

  it("under conditions has them in their order, where texts are kept", () => {
    expect(under(under(scope, "if", "x"), "each", "y").trail).toEqual(["if x", "each y"]);
    expect(under(scope, "if", undefined)).toBe(scope);
  });
});

describe("a value that is read once", () => {
  const build = () => ({ registers: 3 }) as never as Build;

  it("has a register of its own, and is read where it is bound", () => {
    const runs: Run[] = [];
    const given = build();
    let reads = 0;
    const value = readOnce({ kind: "dynamic", read: () => ++reads }, runs, given);
    expect(given.registers).toBe(4);
    const state = startRender([{}]);
    for (const run of runs) run(state);
    expect([readerOf(value)(state.registers), readerOf(value)(state.registers), reads]).toEqual([1, 1, 1]);
  });

  it("is itself where it is known", () => {
    const runs: Run[] = [];
    const given = build();
    expect(readOnce(constant(5), runs, given)).toEqual(constant(5));
    expect([runs, given.registers]).toEqual([[], 3]);
  });

  it("is called by what it stands for, where texts are kept", () => {
    const [value, texts] = [register(1), new WeakMap()];
    expect(named(value, "@1.item", {} as Scope, { texts } as never as Build)).toBe(value);
    expect(texts.get(value)).toBe("@1.item");
    expect(named(constant(1), "@1.item", {} as Scope, { texts } as never as Build)).toEqual(constant(1));
    expect(named(register(2), "@1.item", {} as Scope, {} as Build)).toMatchObject({ kind: "dynamic" });
  });
});
