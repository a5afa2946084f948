import { expect, it } from "vitest";
import { plural } from "./plural.ts";

it.each([
  [0, "pods"],
  [1, "pod"],
  [2, "pods"],
])("plural(%d) is %s", (count, word) => {
  expect(plural(count, "pod")).toBe(word);
});

it("plural() takes a word of its own for several", () => {
  expect(plural(2, "branch", "branches")).toBe("branches");
});
