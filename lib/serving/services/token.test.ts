import { timingSafeEqual } from "node:crypto";
import { describe, expect, it } from "vitest";
import { findCaller, isSameSecret, tokenDigest } from "./token.ts";

const CALLERS = [
  { tokenDigest: tokenDigest("one"), cluster: "a" },
  { tokenDigest: tokenDigest("two"), cluster: "a" },
  { tokenDigest: tokenDigest("three"), cluster: "b" },
];

describe("findCaller()", () => {
  it("finds the cluster when any of its live tokens is shown", () => {
    expect(["one", "two", "three"].map((token) => findCaller(token, CALLERS)?.cluster)).toEqual(["a", "a", "b"]);
  });

  it.each([undefined, "", "on", "one ", "ONE", "\0", "x".repeat(1_000_000)])(
    "finds no caller when the token is not known",
    (token) => {
      expect(findCaller(token, CALLERS)).toBeUndefined();
    },
  );

  it("finds no caller when a missing token is compared with the digest of the empty one", () => {
    expect(findCaller(undefined, [{ tokenDigest: tokenDigest(""), cluster: "a" }])).toBeUndefined();
  });

  it.each(["one", "two", "three", "four", "", undefined])(
    "compares the digest of the token with that of every caller, whichever fits (%j)",
    (token) => {
      const compared: Uint8Array[][] = [];
      findCaller(token, CALLERS, (...digests) => {
        compared.push(digests);
        return timingSafeEqual(...digests);
      });
      const shown = tokenDigest(token ?? "");
      expect(compared).toEqual(CALLERS.map((caller) => [caller.tokenDigest, shown]));
      for (const digests of compared) for (const digest of digests) expect(digest).toHaveLength(32);
    },
  );
});

it("isSameSecret() takes the secret and nothing else", () => {
  expect(isSameSecret("abc", "abc")).toBe(true);
  for (const given of ["", "ab", "abcd", "ABC", undefined]) expect(isSameSecret(given, "abc")).toBe(false);
});
