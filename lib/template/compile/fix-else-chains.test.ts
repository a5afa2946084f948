import { describe, expect, it } from "vitest";
import { helpers } from "../helpers/helpers.ts";
import { compileTemplates, renderText } from "../testing/render-text.ts";

function render(text: string, values: object = {}): string {
  const compiled = compileTemplates({ templates: { t: text }, partials: {} });
  return renderText(compiled, { helpers, constants: {} } as never, "t", { values } as never);
}

/** A chain whose tags are alone on their lines. */
const chain = (indent: string) =>
  ["{{#if values.a}}", "A", "{{else if values.b}}", "B", "{{else if values.c}}", "C", "{{else}}", "D", "{{/if}}"]
    .map((line) => indent + line)
    .join("\n");
const CHOICES = [
  ["A", { a: 1, b: 1 }],
  ["B", { b: 1, c: 1 }],
  ["C", { c: 1 }],
  ["D", {}],
] as const;

describe("fixElseChains()", () => {
  it.each(CHOICES)("leaves no line of a tag that is alone on it: %s", (branch, values) => {
    expect(render(`x\n${chain("")}\ny\n`, values)).toBe(`x\n${branch}\ny\n`);
    expect(render(`x\n${chain("  ")}  \ny\n`, values)).toBe(`x\n  ${branch}\ny\n`);
    expect(render(chain(""), values)).toBe(`${branch}\n`);
    expect(render(`${chain("")}\n${chain("")}\n`, values)).toBe(`${branch}\n${branch}\n`);
  });

  it.each(CHOICES)("sees chains in the branches of other blocks: %s", (branch, values) => {
    const more = { ...values, yes: true, list: [1] };
    expect(render(`{{#if values.yes}}\n${chain("  ")}\n{{/if}}\ny\n`, more)).toBe(`  ${branch}\ny\n`);
    expect(render(`{{#if values.no}}\n{{else}}\n${chain("")}\n{{/if}}\ny\n`, more)).toBe(`${branch}\ny\n`);
    expect(
      render(`{{#each values.list}}\n${chain("").replaceAll("values", "@root.values")}\nz\n{{/each}}\n`, more),
    ).toBe(`${branch}\nz\n`);
    expect(render(`{{#if values.no}}\n{{else if values.yes}}\n${chain("")}\n{{/if}}\ny\n`, more)).toBe(
      `${branch}\ny\n`,
    );
  });

  it.each([
    ["the end of the template", "x\n%", "x\n[B\n]"],
    ["blanks at its end", "x\n% \t", "x\n[B\n]"],
    ["a line's end at its end", "x\n%\n", "x\n[B\n]"],
    ["blanks, and a line's end", "x\n% \t\r\ny", "x\n[B\n]y"],
    ["a tag", "x\n%{{values.b}}\n", "x\n[B\n  ]1\n"],
    ["blanks, and a tag", "x\n% \t{{values.b}}\n", "x\n[B\n  ] \t1\n"],
    ["an empty line, and a tag", "x\n%\n\n{{values.b}}\n", "x\n[B\n]\n1\n"],
    ["text", "x\n%y\n", "x\n[B\n  ]y\n"],
    ["blanks, and text", "x\n% y\n", "x\n[B\n  ] y\n"],
    ["the end of a block", "x\n{{#if values.b}}%{{/if}}\n", "x\n[B\n  ]\n"],
    ["blanks, and the end of a block", "x\n{{#if values.b}}\n% {{/if}}\n", "x\n[B\n  ] \n"],
    ["a line's end, and the end of a block", "x\n{{#if values.b}}\n%\n{{/if}}\n", "x\n[B\n]"],
  ])("strips its own line only where it is alone on it, before %s", (_what, text, expected) => {
    const chain = "{{#if values.a}}\nA\n{{else if values.b}}\nB\n  {{/if}}";
    expect(render(text.replace("%", chain), { b: 1 })).toBe(expected.replace(/[[\]]/g, ""));
  });

  it.each([
    ["{{#if values.a}}\nA\n{{else if values.b}}B{{/if}}\ny\n", { a: 1 }, "A\n\ny\n"],
    ["{{#if values.a}}\nA\n{{else if values.b}}B{{/if}}\ny\n", { b: 1 }, "B\ny\n"],
    ["{{#if values.a}}A{{else if values.b}}\nB\n{{/if}}\ny\n", { a: 1 }, "Ay\n"],
    ["{{#if values.a}}A{{else if values.b}}\nB\n{{/if}}\ny\n", { b: 1 }, "\nB\ny\n"],
    ["{{#if values.a}}\nA\n{{else if values.b}}\nB\n{{/if}} z\n", { b: 1 }, "B\n z\n"],
    ["{{#if values.a}}\nA\n{{else if values.b}}\nB\n{{/if}} \n  {{~values.b}}z\n", { b: 1 }, "B\n1z\n"],
    ["{{#if values.a}}\nA\n{{else if values.b}}\nB{{/if}}\n{{~#if values.b}}z{{/if}}\n", { b: 1 }, "Bz\n"],
    ["{{#if values.a}}\nA\n{{else if values.b}}\nB{{/if~}}\nz\n", { b: 1 }, "Bz\n"],
  ])("keeps the line where the tag that closes is not alone on it: %j", (text, values, expected) => {
    expect(render(text, values)).toBe(expected);
  });

  // Handlebars looks at the first branch behind an else to say of the tag that closes whether it is alone on its line.
  it.each([
    ["{{else if values.b}}\nB\n{{else}}C{{/if}}\ny\n", { b: 1 }, "x\nB\n\ny\n"],
    ["{{else if values.b}}\nB\n{{else}}C{{/if}}\ny\n", {}, "x\nC\ny\n"],
    ["{{else if values.b}}\nB\n{{else}}C{{/if}} \t\ny\n", {}, "x\nC \t\ny\n"],
    ["{{else if values.b}}\nB\n{{else}}C{{/if}}\r\ny\n", {}, "x\nC\r\ny\n"],
    ["{{else if values.b}}\nB\n{{else}}C{{/if~}}\ny\n", {}, "x\nCy\n"],
    ["{{else if values.b}}\nB\n{{else}}C{{/if}}\n{{~values.d}}y\n", { d: 1 }, "x\nC1y\n"],
    ["{{else if values.b}}\nB\n{{else}}C{{/if}}\n{{values.d}}y\n", { d: 1 }, "x\nC\n1y\n"],
    ["{{else if values.b}}B{{else}}\nC\n{{/if}}\ny\n", { b: 1 }, "x\nBy\n"],
    ["{{else if values.b}}B{{else}}\nC\n{{/if}}\ny\n", {}, "x\n\nC\ny\n"],
    ["{{else if values.b}}B{{else}}\nC\n {{/if}} \ny\n", {}, "x\n\nC\ny\n"],
    ["{{else if values.b}}B{{else}}\nC\n{{/if~}}\n y\n", {}, "x\n\nC\ny\n"],
  ])("looks at the last branch for the tag that closes: %j with %j", (text, values, expected) => {
    expect(render(`x\n{{#if values.a}}\nA\n${text}`, values)).toBe(expected);
  });
});
