import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration } from "./duration.ts";

describe("parseDuration()", () => {
  it.each([
    ["0", 0n],
    ["45s", 45_000_000_000n],
    ["1m30s", 90_000_000_000n],
    ["1h0.1s", 3_600_100_000_000n],
    ["-1.5h", -5_400_000_000_000n],
    ["+.5s", 500_000_000n],
    ["5.s", 5_000_000_000n],
    ["1µs2ns", 1_002n],
    ["2562047h47m16.854775807s", 9223372036854775807n],
  ])("reads %s when it is in Go's notation", (text, nanoseconds) => {
    expect(parseDuration(text)).toBe(nanoseconds);
  });

  it.each([
    "",
    "-",
    "10",
    "s",
    ".s",
    "1x",
    "1 s",
    " 1s",
    "1s ",
    "1h2",
    "0x1s",
    "2562047h47m16.854775808s",
    "9".repeat(1e6),
  ])("gives nothing when the text is not one (%#)", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe("formatDuration()", () => {
  it.each([
    [0n, "0s"],
    [90_000_000_000n, "90s"],
    [500_000_000n, "0.500s"],
    [1_000_001_000n, "1.000001s"],
    [1n, "0.000000001s"],
    [-1_500_000_000n, "-1.500s"],
  ])("writes %s with no more places than it needs", (nanoseconds, text) => {
    expect(formatDuration(nanoseconds)).toBe(text);
  });
});
