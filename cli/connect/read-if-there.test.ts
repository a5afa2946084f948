import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readIfThere } from "./read-if-there.ts";

it("readIfThere() gives the text of a file, and undefined for one that cannot be read", () => {
  const folder = mkdtempSync(join(tmpdir(), "outrigger-read-"));
  try {
    writeFileSync(join(folder, "config"), "[default]\nregion = eu-west-1\n");
    expect(readIfThere(join(folder, "config"))).toBe("[default]\nregion = eu-west-1\n");
    expect([readIfThere(join(folder, "none")), readIfThere(folder)]).toEqual([undefined, undefined]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
