import { expect, test } from "vitest";
import { loadTemplates, type TemplateData } from "../load-templates.ts";
import { compileTemplates } from "../testing/render-text.ts";
import { helpers } from "./helpers.ts";

function render(text: string, data: TemplateData = {}): unknown {
  const compiled = compileTemplates({ templates: { t: `a: ${text}\n` }, partials: {} });
  return loadTemplates(compiled, { helpers, constants: {}, defaults: {} }).render("t", data)["a"];
}

test("required gives the value, or its message where the value is missing or empty", () => {
  expect(render('{{required "set it" values.x}}', { values: { x: "v" } })).toBe("v");
  expect(render('{{required "set it" values.x}}', { values: { x: 0 } })).toBe(0);
  for (const x of [undefined, null, ""]) {
    expect(() => render('{{required "set it" values.x}}', { values: { x } })).toThrow(
      'Cannot render template "t": helper "required": set it (line 1, column 4)',
    );
  }
});

test("fail stops a rendering that reaches it, and no other", () => {
  const text = '{{#if values.x}}{{fail "not x"}}{{else}}ok{{/if}}';
  expect(render(text, { values: {} })).toBe("ok");
  expect(() => render(text, { values: { x: 1 } })).toThrow('helper "fail": not x');
});
