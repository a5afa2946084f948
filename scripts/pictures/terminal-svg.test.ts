import { describe, expect, it } from "vitest";
import { COLUMNS, terminalSvg } from "./terminal-svg.ts";

const textsOf = (svg: string) => [...svg.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, text]) => text);

describe("terminalSvg()", () => {
  it("shows what was typed and printed, with colours as classes", () => {
    const output = "\u001b[32mok  \u001b[0m web <1>\r\n\u001b[1;31mFAIL\u001b[m a\r\n";
    expect(textsOf(terminalSvg([{ command: "outrigger test", output }]))).toEqual([
      '<tspan class="p">$ </tspan><tspan class="b">outrigger test</tspan>',
      '<tspan class="g">ok  </tspan> web &lt;1&gt;',
      '<tspan class="b r">FAIL</tspan> a',
    ]);
  });

  it("leaves out what a line of progress showed before it was erased", () => {
    const output = "compiling …\r\u001b[Kdone\r\n";
    expect(textsOf(terminalSvg([{ command: "x", output }])).at(-1)).toBe("done");
  });

  it("breaks a line that is longer than the terminal is wide", () => {
    const [, first, second] = textsOf(terminalSvg([{ command: "x", output: `${"a".repeat(COLUMNS)}bc\n` }]));
    expect([first, second]).toEqual(["a".repeat(COLUMNS), "bc"]);
  });

  it("is as wide as its longest line and as high as its lines", () => {
    const height = (lines: number) =>
      Number(/height="(\d+)"/.exec(terminalSvg([{ command: "x", output: "a\n".repeat(lines) }]))?.[1]);
    expect(height(5) - height(4)).toBe(height(4) - height(3));
  });
});
