// What validatePod() reports next to the path: the code, and the tables that no case of the corpus covers in full.
import { describe, expect, it } from "vitest";
import { podCases } from "../../../test/pod-validation/pod-cases.ts";
import { isNegativeQuantity } from "../quantity/compare-quantities.ts";
import type { ViolationCode } from "../validate/check.ts";
import { isPadded } from "../validate/containers/security-context.ts";
import { validatePod } from "../validate/validate-pod.ts";

const CODES: readonly ViolationCode[] = [
  "required",
  "invalid",
  "not-supported",
  "duplicate",
  "forbidden",
  "not-found",
  "too-long",
  "too-many",
];

describe("validatePod()", () => {
  it("gives every violation a code of the list, a path and a message", () => {
    const violations = podCases().flatMap(({ pod }) => validatePod(pod));
    expect(violations.length).toBeGreaterThan(800);
    expect(violations.filter(({ code }) => !CODES.includes(code))).toEqual([]);
    expect(violations.filter(({ message }) => message.trim() === "")).toEqual([]);
    expect(new Set(violations.map(({ code }) => code))).toEqual(new Set(CODES));
  });

  const withResourceRef = (resource: string, divisor: string) =>
    validatePod({
      metadata: { name: "a" },
      spec: {
        containers: [
          { name: "a", image: "b", env: [{ name: "X", valueFrom: { resourceFieldRef: { resource, divisor } } }] },
        ],
      },
    }).map(({ code }) => code);

  it.each(["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"])(
    "takes bytes by %s",
    (divisor) => {
      for (const resource of [
        "limits.memory",
        "requests.memory",
        "limits.ephemeral-storage",
        "requests.ephemeral-storage",
      ]) {
        expect(withResourceRef(resource, divisor)).toEqual([]);
      }
    },
  );

  it.each(["1", "1m"])("takes processors by %s", (divisor) => {
    for (const resource of ["limits.cpu", "requests.cpu"]) expect(withResourceRef(resource, divisor)).toEqual([]);
  });

  it.each([
    ["limits.cpu", "1k"],
    ["limits.memory", "1m"],
    ["limits.memory", "2"],
  ])("takes %s by nothing like %s", (resource, divisor) => {
    expect(withResourceRef(resource, divisor)).toHaveLength(1);
  });
});

describe("isNegativeQuantity()", () => {
  it.each([
    ["-1", true],
    ["-1Gi", true],
    ["-0", false],
    ["0", false],
    ["1", false],
    ["+1", false],
    ["-x", false],
    ["x", false],
  ])("of %s is %s", (text, expected) => {
    expect(isNegativeQuantity(text)).toBe(expected);
  });
});

describe("isPadded()", () => {
  it.each([9, 10, 11, 12, 13, 32, 0x85, 0xa0, 0x1680, 0x2003, 0x2028, 0x3000])(
    "is true for U+%d at either end",
    (code) => {
      const blank = String.fromCharCode(code);
      expect([isPadded(`${blank}a`), isPadded(`a${blank}`), isPadded(`a${blank}a`)]).toEqual([true, true, false]);
    },
  );

  it.each([8, 14, 31, 33, 0x84, 0x86, 0x9f, 0xa1, 0x167f, 0xfeff])("is false for U+%d", (code) => {
    expect(isPadded(`${String.fromCharCode(code)}a`)).toBe(false);
  });
});
