import { expect, it } from "vitest";
import { firstOf } from "./state.ts";

it("firstOf() opens the template, else the values, else what is first", () => {
  expect(firstOf(["config", "mesh", "samples/web", "templates/a", "values/10-a"])).toBe("templates/a");
  expect(firstOf(["config", "values/10-a"])).toBe("values/10-a");
  expect(firstOf(["mesh", "config"])).toBe("config");
  expect(firstOf([])).toBeUndefined();
});
