import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { afterAll, describe, expect, it, vi } from "vitest";
import { eventOf } from "../../test/support/gateway-event.ts";
import { LICENSES_FILE } from "../supply-chain/license-texts.ts";
import { FILES_BESIDE } from "./build-bundles.ts";
import { projectRoot } from "./bundled-release.ts";
import { BUNDLE_FILE, buildArtifacts } from "./package-functions.ts";

describe("buildArtifacts()", () => {
  const place = mkdtempSync(join(tmpdir(), "outrigger-artifacts-"));
  const directory = join(place, ".serverless");
  afterAll(() => rmSync(place, { recursive: true }));

  it("zips a function's bundle with the licenses of what is in it, the same bytes for the same code", async () => {
    await buildArtifacts(["canary"], directory);
    const zip = readFileSync(`${directory}/canary.zip`);
    const files = unzipSync(zip);
    expect(Object.keys(files)).toEqual(["index.cjs", BUNDLE_FILE, LICENSES_FILE]);
    // Node searches the file that Lambda imports for what it exports: all of its text.
    expect(files["index.cjs"]?.length).toBeLessThan(100);
    const licenses = Buffer.from(files[LICENSES_FILE] ?? []).toString();
    expect(licenses).toMatch(/^@aws-sdk\/client-ssm@\S+ \(Apache-2\.0\)$/m);
    expect(licenses).toContain("Apache License");
    // What a build writes does not depend on where it is built.
    expect(Buffer.from(zip).includes(projectRoot)).toBe(false);
    expect(Buffer.from(files[BUNDLE_FILE] ?? []).includes(projectRoot)).toBe(false);
    await buildArtifacts(["canary"], directory);
    expect(readFileSync(`${directory}/canary.zip`).equals(zip)).toBe(true);
  });

  it("zips what the function reads when it needs it, wherever they are unpacked", async () => {
    await buildArtifacts(["inject"], directory);
    const files = unzipSync(readFileSync(`${directory}/inject.zip`));
    expect(Object.keys(files)).toEqual(["index.cjs", BUNDLE_FILE, ...FILES_BESIDE, LICENSES_FILE]);
    for (const [file, bytes] of Object.entries(files)) writeFileSync(join(place, file), bytes);
    const { handler } = createRequire(import.meta.url)(join(place, "index.cjs"));
    const object = { metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "web" }] } };
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const { statusCode, body } = await handler(eventOf({ object, namespace: "shop" })).finally(() =>
      write.mockRestore(),
    );
    expect(statusCode).toBe(200);
    expect(JSON.parse(body).response).toMatchObject({ allowed: true, patchType: "JSONPatch" });
  });

  it("says which function there is not", async () => {
    await expect(buildArtifacts(["nobody"], directory)).rejects.toThrow(
      "Cannot package functions/nobody: it has no index.ts",
    );
  });
});
