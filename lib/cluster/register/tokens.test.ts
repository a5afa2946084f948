import { describe, expect, it } from "vitest";
import { digestOfToken, newToken, tokenInUse } from "./tokens.ts";

const [OLD, NEW] = ["o".repeat(43), "n".repeat(43)];
const created = "2026-11-21T00:00:00Z";

function installed(...tokens: readonly string[]) {
  return tokens.map((token) => ({ name: token, object: {}, deployment: "dev", revision: token, token }));
}

function record(...tokens: readonly string[]) {
  return { revisions: {}, arn: "", tokens: tokens.map((token) => ({ sha256: digestOfToken(token), created })) };
}

describe("newToken()", () => {
  it("gives 43 characters that a URL takes, of 32 bytes", () => {
    const sizes: number[] = [];
    const token = newToken((size) => {
      sizes.push(size);
      return new Uint8Array(size).fill(255);
    });
    expect([token, sizes]).toEqual([`${"_".repeat(42)}8`, [32]]);
  });
});

describe("tokenInUse()", () => {
  it("takes the one that was registered last when a rotation stopped between two webhooks", () => {
    expect(tokenInUse(installed(OLD, NEW), record(OLD, NEW))).toBe(NEW);
    expect(tokenInUse(installed(NEW, OLD), record(OLD, NEW))).toBe(NEW);
  });

  it("takes none that is not live, or that no webhook has", () => {
    expect(tokenInUse(installed(OLD), record(NEW))).toBeUndefined();
    expect(tokenInUse([], record(NEW))).toBeUndefined();
    expect(tokenInUse(installed(OLD), undefined)).toBeUndefined();
  });
});
