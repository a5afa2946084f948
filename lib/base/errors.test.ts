import { describe, expect, it } from "vitest";
import { isOwnError, OutriggerError, ownError } from "./errors.ts";

const denied = new OutriggerError("cluster-denied", "no");

describe("ownError()", () => {
  it("gives an error of one of the codes, and throws anything else on", () => {
    expect(ownError(denied)).toBe(denied);
    expect(ownError(denied, "cluster-refused", "cluster-denied")).toBe(denied);
    expect(() => ownError(denied, "cluster-refused")).toThrow(denied);
    expect(() => ownError(new TypeError("a bug"))).toThrow("a bug");
    expect([isOwnError(denied), isOwnError(denied, "cluster-refused"), isOwnError("text")]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
