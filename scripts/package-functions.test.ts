import { readFileSync } from "node:fs";
import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { buildArtifacts } from "./package-functions.mjs";

const directory = "dist/package-test";

describe("buildArtifacts()", () => {
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
