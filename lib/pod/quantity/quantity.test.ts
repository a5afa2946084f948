import { describe, expect, it } from "vitest";
import { readTable } from "../../../test/reference/read-reference.ts";
import { canonicalQuantity, isQuantity } from "./quantity.ts";

describe("canonicalQuantity()", () => {
  it.each([
    ["1000m", "1"],
    ["0.1", "100m"],
    ["1.5Gi", "1536Mi"],
    ["1024Mi", "1Gi"],
    ["1000k", "1M"],
    ["-0", "0"],
    ["k", "0"],
  ])("writes %s as %s when it is not canonical", (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  it("rounds away from zero when there are more than nine places", () => {
    expect(canonicalQuantity("0.0000000001")).toBe("1n");
    expect(canonicalQuantity("-1e-12")).toBe("-1e-9");
    expect(canonicalQuantity("1e-2147483648")).toBe("1e-9");
  });

  it("caps at the largest 64-bit integer when a binary quantity is larger", () => {
    expect(canonicalQuantity("10Ei")).toBe("9223372036854775807");
  });

  it("takes huge exponents without writing them out when the quick path can", () => {
    expect(canonicalQuantity("1e2147483646")).toBe("1e2147483646");
    expect(canonicalQuantity("1e2147483647")).toBe("10e2147483646");
  });

  it.each(["", " 1", "1 ", "0x50", "1KB", "1gi", "..", "1e", "Pi", "e-12", "1e99999999999999999999", "NaN"])(
    "refuses %j when it is no quantity",
    (text) => {
      expect(() => canonicalQuantity(text)).toThrow(expect.objectContaining({ code: "pod-invalid" }));
      expect(isQuantity(text)).toBe(false);
    },
  );

  it("refuses at once when the text is a megabyte", () => {
    expect(isQuantity("9".repeat(1_000_000))).toBe(false);
  });

  it("agrees with every measured row", () => {
    for (const { text, canonical } of readTable<{ text: string; canonical?: string }>("quantities")) {
      expect({ text, isQuantity: isQuantity(text) }).toEqual({ text, isQuantity: canonical !== undefined });
      if (canonical !== undefined) expect({ text, canonical: canonicalQuantity(text) }).toEqual({ text, canonical });
    }
  });
});
