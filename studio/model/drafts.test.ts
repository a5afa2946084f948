import { describe, expect, it } from "vitest";
import { conflicts, editedTree, settle, sizeFindings, withDraft } from "./drafts.ts";

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
