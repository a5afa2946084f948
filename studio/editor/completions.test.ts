import { expect, it } from "vitest";
import { podFieldsAt } from "./completions.ts";

const at = (text: string) => {
  const last = text.split("\n").at(-1) ?? "";
  return podFieldsAt(text, last.length).map(({ label }) => label);
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

it("podFieldsAt() says the type of each field, and whether it is required", () => {
  const fields = podFieldsAt("spec:\n  containers:\n  - ", 4);
  const of = (name: string) => fields.find(({ label }) => label === name)?.detail;
  expect(of("name")).toBe("string, required");
  expect(of("args")).toBe("list of string");
  expect(of("env")).toBe("list of object");
});

it("podFieldsAt() reads over template tags, and knows nothing in a map of free keys", () => {
  expect(at("spec:\n  {{#if native}}\n  initContainers:\n  {{/if}}\n  - ")).toContain("restartPolicy");
  expect(at("metadata:\n  labels:\n    ")).toEqual([]);
  expect(at("nonsense:\n  ")).toEqual([]);
});
