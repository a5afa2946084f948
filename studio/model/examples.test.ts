import { expect, it } from "vitest";
import { discardedBy, draftsOf, replacedBy } from "./drafts.ts";

const EXAMPLE = { config: "x", mesh: "m", "samples/web": "s", "templates/a": "t", "values/10-a": "v" };

it("draftsOf() makes edits of what is not saved already, on what is saved", () => {
  expect(draftsOf(EXAMPLE, { mesh: "m", config: "mine", "templates/mine": "mine" })).toEqual({
    config: { text: "x", base: "mine" },
    "samples/web": { text: "s", base: null },
    "templates/a": { text: "t", base: null },
    "values/10-a": { text: "v", base: null },
  });
});

it("replacedBy() names the saved entries that an example writes over", () => {
  expect(replacedBy(EXAMPLE, { mesh: "m", config: "mine", "templates/mine": "mine" })).toEqual(["config"]);
});

it("discardedBy() counts edits, unless they are an example as it is", () => {
  const drafts = draftsOf(EXAMPLE, {});
  expect(discardedBy(drafts, [EXAMPLE], {})).toBe(0);
  expect(discardedBy({ ...drafts, mesh: { text: "mine", base: null } }, [EXAMPLE], {})).toBe(5);
  expect(discardedBy({}, [EXAMPLE], {})).toBe(0);
});
