import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryCodePoint } from "../../../test/support/arbitrary-code-point.ts";
import { loadTemplates, type TemplateData } from "../load-templates.ts";
import { compileTemplates } from "../testing/render-text.ts";
import { helpers } from "./helpers.ts";
import { sha256Hex } from "./logic.ts";

function render(text: string, data: TemplateData = {}): unknown {
  const compiled = compileTemplates({ templates: { t: `a: ${text}\n` }, partials: {} });
  return loadTemplates(compiled, { helpers, constants: {}, defaults: {} }).render("t", data)["a"];
}

describe("helpers that check", () => {
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

  test("b64enc and b64dec are inverse for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: arbitraryCodePoint }), (x) => {
        fc.pre(!/\p{Surrogate}/u.test(x));
        const encoded = render("x{{b64enc values.x}}", { values: { x } });
        expect(encoded).toBe(`x${Buffer.from(x).toString("base64")}`);
        expect(render("x{{b64dec values.x}}", { values: { x: String(encoded).slice(1) } })).toBe(`x${x}`);
      }),
    );
    expect(() => render("{{b64dec values.x}}", { values: { x: "*" } })).toThrow("not base64");
  });

  test("sha256sum is SHA-256", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        expect(sha256Hex(text)).toBe(createHash("sha256").update(text).digest("hex"));
      }),
    );
    expect(render('{{sha256sum "abc"}}')).toBe(createHash("sha256").update("abc").digest("hex"));
  });
});
