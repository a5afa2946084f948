import { describe, expect, it } from "vitest";
import { DEFAULT_TIMEOUT, parseTimeout } from "./deadline.ts";

describe("parseTimeout()", () => {
  it.each([
    ["10s", 10_000],
    ["1s", 1000],
    ["500ms", 500],
    ["1m", 60_000],
    ["1m30s", 90_000],
    ["1.5s", 1500],
    [".5s", 500],
    ["1h0m1s", 3_601_000],
    ["250us", 0.25],
  ])("reads %s when it is a Go duration", (timeout, milliseconds) => {
    expect(parseTimeout(timeout)).toBeCloseTo(milliseconds);
  });

  it.each([
    undefined,
    "",
    "0s",
    "10",
    "-5s",
    "+5s",
    "ten",
    "10 s",
    "10S",
    "s",
    ".s",
    "1e3s",
    "10s;",
    `${"9".repeat(400)}s`,
  ])("gives the default when it cannot read %s", (timeout) => {
    expect(parseTimeout(timeout)).toBe(DEFAULT_TIMEOUT);
  });
});
