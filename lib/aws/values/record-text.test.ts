import { describe, expect, it } from "vitest";
import { fitsParameter } from "./parts.ts";
import { readRecord, recordText } from "./record-text.ts";

const parameter = { name: "/outrigger/dev/channels/stable", type: "String", version: 1 } as const;

describe("recordText()", () => {
  it.each([[{ a: {}, b: [{}, { c: {} }], why: "uses {{x}} and }}", "k{{": '"\\{' }], [{}], [[[{}], {}]], ["{{"]])(
    "never has two braces in a row, and is read again as it was, when it holds %j",
    (value) => {
      const text = recordText(value);
      expect(text).not.toMatch(/\{\{|\}\}/);
      expect(readRecord({ ...parameter, value: text })).toEqual(value);
    },
  );
});

describe("fitsParameter()", () => {
  it("counts bytes, not characters, when a text is not Latin", () => {
    expect([fitsParameter("a".repeat(4096), "Standard"), fitsParameter("é".repeat(2049), "Standard")]).toEqual([
      true,
      false,
    ]);
  });
});

describe("readRecord()", () => {
  it("names the parameter and what is wrong when it is no record", () => {
    expect(() => readRecord({ ...parameter, value: "{" })).toThrow(
      "Cannot read /outrigger/dev/channels/stable: it is not JSON; delete it",
    );
    expect(() => readRecord({ ...parameter, type: "SecureString", value: "AQ" })).toThrow("it is a SecureString");
  });
});
