import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryCodePoint } from "../../../test/support/arbitrary-code-point.ts";
import { loadTemplates, type TemplateData } from "../load-templates.ts";
import { compileTemplates } from "../testing/render-text.ts";
import { helpers } from "./helpers.ts";

function render(text: string, data: TemplateData = {}): unknown {
  const compiled = compileTemplates({ templates: { t: `a: ${text}\n` }, partials: {} });
  return loadTemplates(compiled, { helpers, constants: {}, defaults: {} }).render("t", data)["a"];
}

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

test("sha256sum is the digest in hexadecimal", () => {
  expect(render('{{sha256sum "abc"}}')).toBe(createHash("sha256").update("abc").digest("hex"));
});
