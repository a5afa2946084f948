import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileShippedRelease } from "./compile-shipped.ts";

describe("compileShippedRelease()", () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "outrigger-shipped-"));
    cpSync("templates", directory, { recursive: true });
    rmSync(join(directory, "samples"), { recursive: true });
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it("compiles once while the tree stays as it is, and again when it does not", async () => {
    const first = await compileShippedRelease(directory);
    expect(await compileShippedRelease(directory)).toBe(first);
    writeFileSync(join(directory, "values/90-edit.yaml"), "global: {hub: elsewhere.example}\n");
    const second = await compileShippedRelease(directory);
    expect(second.digest).not.toBe(first.digest);
    expect(second.compressed).not.toBe(first.compressed);
  });
});
