import { expect, it } from "vitest";
import { createCompiler } from "./preview.ts";

const SHIPPED = { "templates/sidecar": "metadata: {labels: {a: '{{metadata.name}}'}}\n", "samples/a": "kind: Pod\n" };

it("createCompiler() compiles the same trees once, whatever their samples, and other trees again", () => {
  const compile = createCompiler();
  const first = compile({ shipped: SHIPPED, own: { config: "policy: enabled\n" } });
  expect(first).toMatchObject({ findings: [], traced: { compiled: { templates: { sidecar: {} } } } });
  // As a message channel copies them, with a sample more.
  const again = compile({
    shipped: { ...SHIPPED, "samples/b": "" },
    own: structuredClone({ config: "policy: enabled\n" }),
  });
  expect(again).toBe(first);
  const others = [
    {},
    { config: "policy: disabled\n" },
    { config: "policy: enabled\n", "partials/b": "" },
    { mesh: "{}" },
  ];
  for (const own of others) expect(compile({ shipped: SHIPPED, own })).not.toBe(first);
  expect(compile({ shipped: SHIPPED, own: { "templates/b": "{{#if" } })).toMatchObject({
    traced: undefined,
    findings: [{ path: "templates/b" }],
  });
});
