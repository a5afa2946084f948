import { describe, expect, it } from "vitest";
import { checkManifest, type Manifest, manifestText, parseManifest, treeDigest } from "./push-manifest.ts";

const manifest: Manifest = { state: "pushing", digest: "d1", by: "ann {{x}}", at: "2026-01-02T03:04:05.000Z" };
const name = "/outrigger/dev/source/manifest";
const parameter = (value: string) => ({ name, value, type: "String" as const, version: 1 });

describe("checkManifest()", () => {
  it.each<[string, Manifest | undefined, string, boolean]>([
    ["there is none", undefined, "d2", true],
    ["a push has begun and its tree is not there", manifest, "d2", false],
    ["a push has begun and its tree is there", manifest, "d1", true],
    ["the push is complete", { ...manifest, state: "complete" }, "d1", true],
    ["edited since", { ...manifest, state: "complete" }, "d2", true],
  ])("follows its table when %s", (_when, given, digest, isFine) => {
    const check = () => checkManifest(given, digest, name);
    if (isFine) expect(check()).toBeUndefined();
    else expect(check).toThrow("a push by ann {{x}}, begun at 2026-01-02T03:04:05.000Z, is not complete; wait for it");
  });
});

describe("parseManifest()", () => {
  it("reads what manifestText() wrote", () => {
    expect(parseManifest(parameter(manifestText(manifest)))).toEqual(manifest);
  });

  it.each(["{}", "[]", '{"state":"done","digest":"d","by":"a","at":"b"}', "null"])(
    "names the parameter and the way out when it is %s",
    (value) => {
      expect(() => parseManifest(parameter(value))).toThrow(`Cannot read ${name}: it must have a state`);
    },
  );
});

describe("treeDigest()", () => {
  it("depends on paths and texts, and on nothing else", () => {
    const tree = { mesh: "a: 1", "templates/sidecar": "x" };
    const same = { "templates/sidecar": "x", manifest: "anything", mesh: "a: 1" };
    expect(treeDigest(same)).toBe(treeDigest(tree));
    expect(treeDigest(tree)).toMatch(/^[0-9a-f]{32}$/);
    for (const other of [{ mesh: "a: 1" }, { ...tree, mesh: "a: 2" }, { ...tree, config: "" }])
      expect(treeDigest(other)).not.toBe(treeDigest(tree));
  });
});
