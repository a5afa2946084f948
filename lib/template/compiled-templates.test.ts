import { describe, expect, it } from "vitest";
import { type Program, statementsOf, TEMPLATE_ROOTS } from "./compiled-templates.ts";
import { compileTemplates } from "./testing/render-text.ts";

const programOf = (text: string) =>
  compileTemplates({ templates: { t: text }, partials: { p: "" } }).templates["t"] as Program;

describe("statementsOf()", () => {
  it.each([
    ["", []],
    ["a{{spec}}", ["text", "slot"]],
    ["{{#if spec}}a{{else}}{{spec}}{{/if}}b", ["block", "text", "slot", "text"]],
    ["{{#each spec}}{{#if a}}{{> p}}{{/if}}{{/each}}", ["block", "block", "partial"]],
    ['{{#*inline "i"}}a{{#if spec}}b{{/if}}{{/inline}}', ["inline", "text", "block", "text"]],
  ])("of %j are %j: what is in blocks and inline partials after them", (text, kinds) => {
    expect(statementsOf(programOf(text)).map(({ kind }) => kind)).toEqual(kinds);
  });
});

it("a template may name each root, and no other", () => {
  for (const root of TEMPLATE_ROOTS) expect(() => programOf(`{{${root}.a}}`)).not.toThrow();
  expect(TEMPLATE_ROOTS).toContain("compliancePolicy");
  expect(() => programOf("{{podSpec.a}}")).toThrow('"podSpec" is not in the template data');
});
