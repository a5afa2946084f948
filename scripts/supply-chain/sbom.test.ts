import type { JsonObject } from "@outrigger/base";
import { beforeAll, describe, expect, it } from "vitest";
import { bundledPackages } from "./license-texts.ts";
import { bundledSbom, lockedSbom } from "./sbom.ts";
import { registerInputs } from "./test/register-inputs.ts";

let inputs: readonly string[];
beforeAll(async () => {
  inputs = await registerInputs();
});

describe("bundledSbom()", () => {
  it("lists what is in the bundles and nothing else, with hash and license, the same each time", () => {
    const locked = lockedSbom();
    const sbom = bundledSbom(locked, { inject: inputs, canary: inputs.slice(0, 0) });
    expect(sbom).toMatchObject({ bomFormat: "CycloneDX", specVersion: expect.stringMatching(/^1\./) });
    const components = sbom["components"] as readonly JsonObject[];
    const names = bundledPackages(inputs).map(({ name, version }) => `${name}@${version}`);
    expect(components.map((component) => component["bom-ref"]).sort()).toEqual([...names].sort());
    for (const component of components)
      expect(component).toMatchObject({
        scope: "required",
        hashes: [{ alg: "SHA-512" }],
        licenses: [{ license: { id: expect.any(String) } }],
        properties: [{ name: "outrigger:bundle", value: "inject" }],
      });
    const dependencies = sbom["dependencies"] as readonly { readonly ref: string; readonly dependsOn: string[] }[];
    const signing = dependencies.find(({ ref }) => ref.startsWith("@smithy/signature-v4@"));
    expect(signing?.dependsOn).toContainEqual(expect.stringMatching(/^@smithy\/core@/));
    const later = {
      ...locked,
      serialNumber: "urn:uuid:0",
      metadata: { ...(locked["metadata"] as object), timestamp: "later" },
    };
    expect(bundledSbom(later as JsonObject, { inject: inputs, canary: [] })).toEqual(sbom);
  });
});
