import { describe, expect, it } from "vitest";
import { mutants } from "./mutants.ts";

/** Returns what becomes of the text, mutant by mutant. */
function afters(source: string): readonly string[] {
  return mutants("a.ts", source).map(({ after }) => after);
}

describe("mutants()", () => {
  it.each<[string, readonly string[]]>([
    ["if (a < 1) b();", ["if (true) b();", "if (false) b();", "if (a <= 1) b();", "if (a >= 1) b();", "if (a < 1) ;"]],
    ["const x = a && !b;", ["const x = ((a) || (!b));", "const x = a && b;"]],
    ["const x = a ?? 1;", ["const x = (a);", "const x = (1);"]],
    ["const x = a?.b;", ["const x = a.b;"]],
    ["const x = a?.[0];", ["const x = a[0];"]],
    ["const x = a.some(f);", ["const x = a.every(f);"]],
    ["const x = a.filter(f);", ["const x = a;"]],
    ["const x = [a];", ["const x = [];"]],
    ["const x = { ...a, b };", ["const x = { b };"]],
    ["const x = true;", ["const x = false;"]],
    ['const x = a === "b";', ['const x = a !== "b";', 'const x = a === "";']],
    ["const x = a / 2 - 1;", ["const x = a / 2 + 1;", "const x = a * 2 - 1;"]],
    ["const f = () => a.b;", ["const f = () => undefined;"]],
    ["function f() { return 1; }", ["function f() { return undefined; }"]],
    ["while (a) { a--; }", ["while (false) { a--; }", "while (a) { ; }", "while (a) { a++; }"]],
  ])("puts one fault into %s", (source, expected) => {
    expect([...afters(source)].sort()).toEqual([...expected].sort());
  });

  it.each([
    'import { a } from "./a.ts";',
    'export { a } from "./a.ts";',
    'type A = "a" | "b";',
    'const message = "a text that people read";',
    'const key = { "a-b": 1 };',
    "function f(a: string): a is never;",
    "const text = `a`;",
    'const text = b + "a text";',
  ])("leaves %s alone", (source) => {
    expect(afters(source)).toEqual([]);
  });

  it("names the line, and puts a change of several lines on one", () => {
    const [, mutant] = mutants("a.ts", "const a = 1;\nconst b = a\n  ?? [\n    c];\nconst d = a;\n");
    expect(mutant).toMatchObject({
      line: 2,
      operator: "coalescing",
      before: "const b = a ?? [ c];",
      after: "const b = ([ c]);",
    });
    expect(mutant?.code).toBe("const a = 1;\nconst b = ([\n    c]);\nconst d = a;\n");
  });

  it("refuses what does not parse", () => {
    expect(() => mutants("a.ts", "const = 1")).toThrow("Cannot parse a.ts");
  });
});
