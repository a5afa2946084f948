import { describe, expect, it } from "vitest";
import { maxResults, objectsOf, oneOf, textOf, textsOf } from "./service-input.ts";

describe("the fields of a request", () => {
  it.each<[string, () => unknown, name: string, words: string]>([
    ["a missing text", () => textOf({}, "Name"), "ValidationException", "Value null at 'name' failed"],
    ["a missing list", () => textsOf({ Names: null }, "Names"), "ValidationException", "Value null at 'names' failed"],
    ["a number for a text", () => textOf({ Name: 1 }, "Name"), "SerializationException", "Field Name cannot"],
    ["a list of numbers", () => textsOf({ Names: [1] }, "Names"), "SerializationException", "to List"],
    ["a list of texts", () => objectsOf({ Tags: ["a"] }, "Tags"), "SerializationException", "to List"],
    ["a word that is not known", () => oneOf({ Tier: "X" }, "Tier", ["A", "B"]), "ValidationException", "set: [A, B]"],
    ["a page of nothing", () => maxResults({ MaxResults: 0 }, 10), "ValidationException", "or equal to 1"],
    ["a page above the bound", () => maxResults({ MaxResults: 11 }, 10), "ValidationException", "or equal to 10"],
  ])("refuses %s as the service does", (_what, read, name, words) => {
    expect(read).toThrow(expect.objectContaining({ name, message: expect.stringContaining(words) }));
  });

  it("takes what is within its bounds", () => {
    expect([maxResults({}, 10), maxResults({ MaxResults: 1 }, 10), maxResults({ MaxResults: 10 }, 10)]).toEqual([
      10, 1, 10,
    ]);
    expect([oneOf({}, "Tier", ["A"]), oneOf({ Tier: "A" }, "Tier", ["A"])]).toEqual([undefined, "A"]);
    expect([objectsOf({}, "Tags"), textsOf({ Names: ["a"] }, "Names")]).toEqual([[], ["a"]]);
  });
});
