import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { attemptTo } from "./attempt-to.ts";

describe("attemptTo()", () => {
  const failing = (message: string) => () => {
    throw new OutriggerError("config-invalid", message);
  };

  it("gives what is read, and adds the errors in the order in which they are met", () => {
    const errors: OutriggerError[] = [];
    expect(attemptTo(() => 1, errors)).toBe(1);
    expect(attemptTo(failing("first"), errors)).toBeUndefined();
    expect(attemptTo(failing("second"), errors)).toBeUndefined();
    expect(errors.map(({ message }) => message)).toEqual(["first", "second"]);
  });

  it("throws a fault of the code", () => {
    const fault = () => {
      throw new TypeError("fault");
    };
    expect(() => attemptTo(fault, [])).toThrow(TypeError);
  });
});
