import { expect, it } from "vitest";
import { helpers } from "../helpers/helpers.ts";
import { loadTemplates } from "../load-templates.ts";
import { compileTemplates } from "../testing/render-text.ts";

it.each([
  [
    "the template of an inline partial",
    '{{#*inline "p"}}\na: {{int spec.x}}\n{{/inline}}\n{{> p}}\n',
    'template "t"',
    2,
  ],
  ["a partial", "{{> p}}\n", 'partial "p"', 1],
])("bindProgram() names %s in an error of a value there", (_what, text, source, line) => {
  const compiled = compileTemplates({ templates: { t: text }, partials: { p: "a: {{int spec.x}}\n" } });
  const { render } = loadTemplates(compiled, { helpers, constants: {}, defaults: {} });
  expect(() => render("t", { spec: { x: "y" } })).toThrow(
    `Cannot render ${source}: helper "int": an integer is expected (line ${line}, column 4)`,
  );
});
