import { describe, expect, it } from "vitest";
import { instrument } from "./instrument.ts";

const call = (at: number) => `globalThis.outriggerWalk?.("a.ts", "a.ts:${at}")`;

describe("instrument()", () => {
  it.each([
    ["a declaration", "function f() { return 1; }", `function f() {${call(0)}; return 1; }`],
    ["an arrow with a name", "const f = () => 1;", `const f = () => (${call(10)}, 1);`],
    ["a method", "const o = { f() {} };", `const o = { f() {${call(13)};} };`],
    ["what a function returns", "return () => {};", `return () => {${call(7)};};`],
  ])("marks %s", (_, source, marked) => {
    expect(instrument("a.ts", source)).toBe(marked);
  });

  it("leaves a callback that is passed where it is written", () => {
    expect(instrument("a.ts", "list.map((one) => one + 1);")).toBe("list.map((one) => one + 1);");
  });
});
