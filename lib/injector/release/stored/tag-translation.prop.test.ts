import { OutriggerError } from "@outrigger/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromStored, toStored } from "./tag-translation.ts";

const numRuns = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 1000);

/** The pieces that templates and YAML are made of, and that a translation could trip over. */
const pieces = fc.constantFrom(
  ..."{ } {{ }} {{{ }}} < % > <% %> ~ ! - -- \" ' \\ ".split(" "),
  ...["\n", "\r\n", " ", "x", "#if", "/if", "else", "é", "🚣", "\ud800", "{{x}}", "{{#if x}}", "{{!--", "--}}", "a: "],
);
const soup = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(""));

const name = fc.constantFrom("x", "metadata.name", "values.global.hub", "this", "@key");
const tag = fc.oneof(
  name.map((it) => `{{${it}}}`),
  name.map((it) => `{{~ default "a" ${it} ~}}`),
  fc.string().map((text) => `{{!-- ${text.replaceAll(/[<%}-]/g, "")} --}}`),
  name.map((it) => `{{> resources name=${it}}}`),
);
const line = fc.oneof(
  tag,
  name.map((it) => `{{#if ${it}}}`),
  fc.constantFrom("{{else}}", "{{/if}}", "", "# a comment", "spec: { containers: [{ name: a }] }"),
  fc.tuple(name, tag).map(([key, value]) => `  ${key}: "${value}"`),
  fc.tuple(name, tag).map(([key, value]) => `  { ${key}: ${value} }`),
);
const template = fc
  .tuple(fc.array(line), fc.constantFrom("\n", "\r\n"), fc.constantFrom("", "\n", "\n\n"))
  .map(([lines, end, last]) => lines.join(end) + last);

describe("toStored()", () => {
  it("gives back the same bytes when a generated template is stored and read", () => {
    fc.assert(
      fc.property(template, (text) => {
        const stored = toStored(text, "t");
        expect(stored).not.toMatch(/\{\{|\}\}/);
        expect(stored).not.toBe("");
        expect(fromStored(stored, "t")).toBe(text);
      }),
      { numRuns },
    );
  });

  it("is undone by fromStored(), or refuses with a place, when the text is any text", () => {
    fc.assert(
      fc.property(soup, (text) => {
        const stored = orRefused(() => toStored(text, "t"));
        if (stored !== undefined) {
          expect(stored).not.toMatch(/\{\{|\}\}/);
          expect(fromStored(stored, "t")).toBe(text);
        }
        const read = orRefused(() => fromStored(text, "t"));
        if (read !== undefined) expect(toStored(read, "t")).toBe(text);
      }),
      { numRuns: numRuns * 5 },
    );
  });
});

function orRefused(run: () => string): string | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof OutriggerError && error.line !== undefined && error.column !== undefined) return undefined;
    throw error;
  }
}
