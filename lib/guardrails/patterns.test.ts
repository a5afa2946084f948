import { describe, expect, it } from "vitest";
import { matchesPattern } from "./patterns.ts";

describe("matchesPattern()", () => {
  it.each([
    ["a", "a"],
    ["*", ""],
    ["a/*", "a/b/c"],
    ["a*b*c", "abbc"],
    ["a*b*c", "a-b-c"],
    ["*-oauth2", "web-oauth2"],
  ])("takes by %j the value %j", (pattern, value) => expect(matchesPattern(pattern, value)).toBe(true));

  it.each([
    ["a", "ab"],
    ["a/*", "b/a/"],
    ["a*b*c", "axc"],
    ["a*b*c", "a-b"],
    ["a*a", "a"],
    ["*b*b", "b"],
    ["*-oauth2", "web-oauth2-x"],
  ])("does not take by %j the value %j", (pattern, value) => expect(matchesPattern(pattern, value)).toBe(false));
});
