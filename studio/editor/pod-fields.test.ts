import { expect, it } from "vitest";
import { podFieldsAt } from "./pod-fields.ts";

const at = (text: string) => {
  const last = text.split("\n").at(-1) ?? "";
  return podFieldsAt(text, last.length);
};

it("podFieldsAt() knows the fields of a Pod, its spec, its containers and what is in them", () => {
  expect(at("")).toEqual(expect.arrayContaining(["metadata", "spec"]));
  expect(at("spec:\n  ")).toContain("containers");
  expect(at("spec:\n  containers:\n  - name: a\n    ")).toContain("image");
  expect(at("spec:\n  containers:\n  - ")).toContain("image");
  expect(at("spec:\n  containers:\n    - name: a\n      ")).toContain("image");
  expect(at("spec:\n  containers:\n  - name: a\n    readinessProbe:\n      httpGet:\n        ")).toContain("port");
  expect(at("spec:\n  containers:\n  - name: a\n    resources:\n      limits: {}\n    ")).toContain("image");
});

it("podFieldsAt() reads over template tags, and knows nothing in a map of free keys", () => {
  expect(at("spec:\n  {{#if native}}\n  initContainers:\n  {{/if}}\n  - ")).toContain("restartPolicy");
  expect(at("metadata:\n  labels:\n    ")).toEqual([]);
  expect(at("nonsense:\n  ")).toEqual([]);
});
