import { join } from "node:path";
import { digest, readRelease } from "outrigger:bundled-release";
import { describe, expect, it } from "vitest";
import { compileRelease } from "../lib/release/compile-release.ts";
import { releaseDigest } from "../lib/serve/release-digest.ts";
import { readSourceTree } from "../lib/source/source-directory.ts";

describe("outrigger:bundled-release", () => {
  it("is the shipped tree, compiled", async () => {
    const compiled = compileRelease([await readSourceTree(join(import.meta.dirname, "../templates"))]);
    expect(JSON.stringify(readRelease())).toBe(JSON.stringify(compiled));
  });

  it("carries the digest that would be taken of it", () => {
    expect(digest).toBe(releaseDigest(readRelease()));
  });
});
