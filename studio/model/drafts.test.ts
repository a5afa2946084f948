import { describe, expect, it } from "vitest";
import { conflicts, discardedBy, draftsOf, editedTree, replacedBy, settle, sizeFindings, withDraft } from "./drafts.ts";

const SAVED = { config: "a: 1", mesh: "m: 1" };

describe("withDraft()", () => {
  it("keeps the text that the first edit was made on", () => {
    const once = withDraft({}, SAVED, "config", "a: 2");
    const twice = withDraft(once, { ...SAVED, config: "a: 9" }, "config", "a: 3");
    expect(twice).toEqual({ config: { text: "a: 3", base: "a: 1" } });
  });

  it("forgets an edit that is undone, and knows new and removed entries", () => {
    const drafts = withDraft(withDraft({}, SAVED, "config", "a: 2"), SAVED, "config", "a: 1");
    expect(drafts).toEqual({});
    expect(withDraft({}, SAVED, "templates/x", "x")).toEqual({ "templates/x": { text: "x", base: null } });
    expect(withDraft({}, SAVED, "mesh", null)).toEqual({ mesh: { text: null, base: "m: 1" } });
    expect(withDraft(withDraft({}, SAVED, "templates/x", "x"), SAVED, "templates/x", null)).toEqual({});
  });

  it("takes names that every object has for what they are: entries that do not exist", () => {
    expect(withDraft({}, SAVED, "constructor", "x")).toEqual({ constructor: { text: "x", base: null } });
  });
});

describe("editedTree()", () => {
  it("lays drafts over the saved tree and changes neither", () => {
    const drafts = { config: { text: "a: 2", base: "a: 1" }, mesh: { text: null, base: "m: 1" } };
    expect(editedTree(SAVED, drafts)).toEqual({ config: "a: 2" });
    expect(SAVED).toEqual({ config: "a: 1", mesh: "m: 1" });
  });
});

describe("conflicts() and settle()", () => {
  it("name what another person has changed under a draft, and forget what both have written alike", () => {
    const drafts = { config: { text: "a: 2", base: "a: 1" }, mesh: { text: "m: 2", base: "m: 1" } };
    expect(conflicts({ ...SAVED, config: "a: 9" }, drafts)).toEqual(["config"]);
    expect(settle(drafts, { ...SAVED, config: "a: 2" })).toEqual({ mesh: { text: "m: 2", base: "m: 1" } });
  });
});

describe("sizeFindings()", () => {
  const draft = (text: string) => ({ "values/10-a": { text, base: null } });
  const limits = { fresh: 10, known: 20 };

  it("finds a text that no parameter holds, by its bytes", () => {
    expect(sizeFindings(draft("é".repeat(5)), {}, limits)).toEqual([]);
    expect(sizeFindings(draft("é".repeat(6)), {}, limits)).toEqual([
      { severity: "error", path: "values/10-a", message: "it has 12 bytes, and a parameter holds 10; split it in two" },
    ]);
  });

  it("leaves one that was larger before as large as it may be", () => {
    const saved = { "values/10-a": "x".repeat(11) };
    expect(sizeFindings(draft("x".repeat(20)), saved, limits)).toEqual([]);
    expect(sizeFindings(draft("x".repeat(21)), saved, limits)).toHaveLength(1);
  });
});

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
