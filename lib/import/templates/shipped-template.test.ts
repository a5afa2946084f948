import { expect, it } from "vitest";
import { shippedTemplate } from "./shipped-template.ts";

it("shippedTemplate() names a template of a release, and nothing for another text", () => {
  expect(shippedTemplate("cfc0c59c4773a8c9ffff")).toEqual({ template: "sidecar", first: "1.30.0", last: "1.30.3" });
  expect(shippedTemplate("toString")).toBeUndefined();
});
