import { describe, expect, it } from "vitest";
import { shippedTreeUntried } from "../../../../test/support/shipped-tree.ts";
import { compileRelease, lintTree } from "../compile-release.ts";
import type { SourceTree } from "../source-tree.ts";

const shipped = await shippedTreeUntried();

/** What is said of values alone: no branch is read. */
const said = (own: SourceTree) =>
  lintTree([shipped, own], true).findings.map(({ severity, path, line, column, message }) => [
    severity,
    `${path}:${line}:${column} ${message}`,
  ]);

const resource = (type: string) => `metadata: {name: web, namespace: shop}\nspec: {image: {imageType: ${type}}}\n`;

describe("the variant of the proxy's image", () => {
  it.each([
    ["distrolss", "distroless"],
    ["distro", "distroless"],
    ["Debug", "debug"],
    ["debgu", "debug"],
    ["defualt", "default"],
  ])("%s is a slip away from %s, which lint warns of at its line", (text, meant) => {
    const words = `is "${text}": Istio publishes no such variant of its images, did you mean "${meant}"`;
    expect(said({ "values/1": `global:\n  variant: ${text}\n` })).toEqual([
      ["warning", `values/1:2:12 values.global.variant ${words}`],
    ]);
    expect(said({ mesh: `defaultConfig:\n  image: {imageType: ${text}}\n` })).toEqual([
      ["warning", `mesh:2:22 defaultConfig.image.imageType ${words}`],
    ]);
    expect(said({ proxyconfigs: resource(text) })).toEqual([
      [
        "warning",
        expect.stringMatching(/^proxyconfigs:.* ProxyConfig "web" of namespace "shop": spec\.image\.imageType /),
      ],
    ]);
    expect(said({ proxyconfigs: resource(text) })[0]?.[1]).toContain(words);
  });

  it.each(['""', "distroless", "debug", "default", "fips", "distroless-fips", "slim", "x1", "null"])(
    "may be %s",
    (text) => {
      expect(said({ "values/1": `global: {variant: ${text}}\n` })).toEqual([]);
      expect(said({ mesh: `defaultConfig: {image: {imageType: ${text}}}\n` })).toEqual([]);
      expect(said({ proxyconfigs: resource(text) })).toEqual([]);
    },
  );

  it("is compiled as it is, misspelt or not", () => {
    const { values } = compileRelease([shipped, { "values/1": "global: {variant: debgu}\n" }]);
    expect(values).toMatchObject({ global: { variant: "debgu" } });
  });

  it("counts in the last file that sets it", () => {
    const right = "global: {variant: debug}\n";
    const wrong = "global: {variant: debgu}\n";
    expect(said({ "values/1": wrong, "values/2": right })).toEqual([]);
    expect(said({ "values/1": right, "values/2": wrong })).toEqual([
      ["warning", expect.stringContaining('values/2:1:19 values.global.variant is "debgu"')],
    ]);
  });
});
