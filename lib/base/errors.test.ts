import { describe, expect, it } from "vitest";
import { isOwnError, OutriggerError, ownError, unlessOwnError } from "./errors.ts";

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

describe("OutriggerError", () => {
  it("is known by its name, wherever its class is", () => {
    const copy = Object.assign(new Error("no"), { name: "OutriggerError", code: "cluster-denied" });
    expect([copy instanceof OutriggerError, isOwnError(copy, "cluster-denied")]).toEqual([true, true]);
    expect([new Error("no"), { name: "OutriggerError" }, null].map((value) => value instanceof OutriggerError)).toEqual(
      [false, false, false],
    );
  });
});

describe("unlessOwnError()", () => {
  it("gives what is read, or nothing and its error, and throws anything else on", () => {
    const reported: unknown[] = [];
    const refuse = () => {
      throw denied;
    };
    expect(unlessOwnError(() => 1)).toBe(1);
    expect(unlessOwnError(refuse)).toBeUndefined();
    expect(unlessOwnError(refuse, (error) => reported.push(error))).toBeUndefined();
    expect(reported).toEqual([denied]);
    const failing = (message: string) => () => {
      throw new OutriggerError("config-invalid", message);
    };
    const errors: OutriggerError[] = [];
    for (const message of ["first", "second"])
      expect(unlessOwnError(failing(message), (error) => errors.push(error))).toBeUndefined();
    expect(errors.map(({ message }) => message)).toEqual(["first", "second"]);
    const bug = () => {
      throw new TypeError("a bug");
    };
    expect(() => unlessOwnError(bug)).toThrow("a bug");
  });
});
