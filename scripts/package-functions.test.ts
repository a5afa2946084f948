import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { afterAll, describe, expect, it } from "vitest";
import { buildArtifacts } from "./package-functions.ts";

describe("buildArtifacts()", () => {
  const place = mkdtempSync(join(tmpdir(), "outrigger-artifacts-"));
  const directory = join(place, ".serverless");
  afterAll(() => rmSync(place, { recursive: true }));

  it("zips a function's bundle and nothing else, the same bytes for the same code", async () => {
    const first = await buildArtifacts(["canary"], directory);
    const zip = readFileSync(`${directory}/canary.zip`);
    expect(Object.keys(unzipSync(zip))).toEqual(["index.cjs"]);
    expect(await buildArtifacts(["canary"], directory)).toEqual(first);
    expect(readFileSync(`${directory}/canary.zip`).equals(zip)).toBe(true);
  });

  it("says which function there is not", async () => {
    await expect(buildArtifacts(["nobody"], directory)).rejects.toThrow(
      "Cannot package functions/nobody: it has no index.ts",
    );
  });
});
