import { describe, expect, it } from "vitest";
import { conversionHelpers } from "./conversions.ts";

const bool = (value: unknown) => conversionHelpers.bool.run([value], {});

describe("bool", () => {
  // The words of Go's strconv.ParseBool.
  it.each(["1", "t", "T", "TRUE", "true", "True", true])("is true for %j", (value) => expect(bool(value)).toBe(true));
  it.each(["0", "f", "F", "FALSE", "false", "False", false])("is false for %j", (value) =>
    expect(bool(value)).toBe(false),
  );
  it.each([null, undefined, ""])("is missing for %j", (value) => expect(bool(value)).toBeUndefined());
  it.each(["yes", "tRUE", 1, 0, {}])("rejects %j", (value) => {
    expect(() => bool(value)).toThrow("true or false is expected");
  });
});
