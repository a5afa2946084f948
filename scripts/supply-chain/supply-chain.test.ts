// What is delivered says what it is made of, and what is installed is what was locked.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { isObject, type JsonObject } from "@outrigger/base";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildFunction, inputsOf } from "../build/build-bundles.ts";
import { projectRoot } from "../build/bundled-release.ts";
import { bundledPackages, licenseTexts } from "./license-texts.ts";
import { bundledSbom, lockedSbom } from "./sbom.ts";

const place = mkdtempSync(join(tmpdir(), "outrigger-supply-"));
afterAll(() => rmSync(place, { recursive: true }));
let inputs: readonly string[];
beforeAll(async () => {
  await buildFunction("register", { outfile: relative(projectRoot, join(place, "index.cjs")) });
  inputs = inputsOf(JSON.parse(readFileSync(join(place, "metafile.json"), "utf8")));
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

describe("package-lock.json", () => {
  const lock = JSON.parse(readFileSync(join(projectRoot, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, JsonObject>>;
  };
  // The packages of this project are folders and links to them.
  const packages = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && link !== true,
  );
  const without = packages.filter(([, { integrity }]) => !/^sha512-/.test(String(integrity)));

  it("has the digest of every package, those of other platforms included", () => {
    expect(packages.length).toBeGreaterThan(300);
    expect(without.map(([path]) => path)).toEqual([]);
  });

  it("says what each package of this project says of itself", () => {
    const own = Object.entries(lock.packages).filter(([path]) => path !== "" && !path.includes("node_modules/"));
    const said = own.map(([path]) => JSON.parse(readFileSync(join(projectRoot, path, "package.json"), "utf8")));
    expect(own.length).toBeGreaterThan(10);
    for (const field of ["version", "dependencies", "devDependencies"]) {
      expect(own.map(([path, { [field]: locked }]) => [path, locked])).toEqual(
        own.map(([path], index) => [path, said[index][field]]),
      );
    }
  });

  it("names no registry", () => {
    expect(packages.filter(([, one]) => isObject(one) && one["resolved"] !== undefined)).toEqual([]);
  });
});
