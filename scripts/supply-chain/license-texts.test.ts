import { beforeAll, describe, expect, it } from "vitest";
import { bundledPackages, licenseTexts } from "./license-texts.ts";
import { registerInputs } from "./test/register-inputs.ts";

let inputs: readonly string[];
beforeAll(async () => {
  inputs = await registerInputs();
});

describe("licenseTexts()", () => {
  it("has each package of a bundle once, with its text", () => {
    const names = bundledPackages(inputs).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["@smithy/core", "@smithy/signature-v4"]));
    const text = licenseTexts(inputs);
    for (const name of names) expect(text.split(`\n${name}@`), name).toHaveLength(2);
    expect(text).toContain("Apache License");
  });

  it("has the standard text where a package names its license only", () => {
    const text = licenseTexts([
      "node_modules/@cfworker/json-schema/index.js",
      "node_modules/@aws-sdk/nested-clients/x.js",
    ]);
    expect(text).toMatch(/^@cfworker\/json-schema@\S+ \(MIT\)\n\nCopyright \(c\) .+\n\nPermission is hereby granted/m);
    expect(text).toMatch(/^@aws-sdk\/nested-clients@\S+ \(Apache-2\.0\)$/m);
  });

  it("refuses a package that does not say what it is", () => {
    expect(() => licenseTexts(["node_modules/nothing-of-that-name/index.js"])).toThrow(
      "Cannot name what is bundled: node_modules/nothing-of-that-name/package.json",
    );
  });
});
