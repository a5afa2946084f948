import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { errorOf } from "./publisher-result.ts";

describe("errorOf()", () => {
  it("gives what an error says, without its cause", () => {
    const error = new OutriggerError("tree-invalid", "Cannot read a", { path: "a", line: 2, cause: new Error("why") });
    expect(errorOf(error)).toStrictEqual({ code: "tree-invalid", message: "Cannot read a", path: "a", line: 2 });
  });

  it("throws a bug on", () => {
    const bug = new TypeError("a bug");
    expect(() => errorOf(bug)).toThrow(bug);
  });
});
