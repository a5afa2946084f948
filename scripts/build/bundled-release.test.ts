import { join } from "node:path";
import { digest, readRelease } from "outrigger:bundled-release";
import { compileRelease } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { releaseDigest } from "@outrigger/serving";
import { describe, expect, it } from "vitest";

describe("outrigger:bundled-release", () => {
  it("is the shipped tree, compiled", async () => {
    const compiled = compileRelease([await readSourceTree(join(import.meta.dirname, "../../templates"))]);
    expect(JSON.stringify(readRelease())).toBe(JSON.stringify(compiled));
  });

  it("carries the digest that would be taken of it", () => {
    expect(digest).toBe(releaseDigest(readRelease()));
  });
});
