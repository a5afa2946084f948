import type { IstioRelease } from "@outrigger/mesh";
import { parseYaml } from "@outrigger/yaml";
import { describe, expect, it } from "vitest";
import { lintTree } from "../compile-release.ts";
import type { TreeFinding } from "../tree-finding.ts";
import { checkProxyTag } from "./check-proxy-tag.ts";

function warned(istio: IstioRelease, ...texts: readonly string[]): readonly string[] {
  const warnings: TreeFinding[] = [];
  const files = texts.map((text, index) => ({ path: `values/${index}`, text, value: parseYaml(text, "values") }));
  checkProxyTag(files, istio, warnings);
  return warnings.map(({ path, line, column, message }) => `${path}:${line}:${column} ${message}`);
}

describe("checkProxyTag()", () => {
  it.each([
    ["a tag", "tag: 1.29.2", "2:3 global.tag 1.29.2 is not of Istio 1.31"],
    ["a tag's variant", "tag: 1.29.2-distroless", "2:3 global.tag 1.29.2-distroless is not of Istio 1.31"],
    [
      "a whole image",
      "proxy: {image: registry.example:5000/istio/proxyv2:1.30.3-debug}",
      "2:11 global.proxy.image registry.example:5000/istio/proxyv2:1.30.3-debug is not of Istio 1.31",
    ],
    [
      "the init container's image, with a digest",
      `proxy_init: {image: "registry.example/istio/proxyv2:1.28.1@sha256:${"0".repeat(64)}"}`,
      "2:16 global.proxy_init.image registry.example/istio/proxyv2:1.28.1@sha256:",
    ],
  ])("warns of %s of another release", (_what, line, message) => {
    expect(warned("1.31", `global:\n  ${line}\n`)).toEqual([expect.stringContaining(`values/0:${message}`)]);
  });

  it("names both ways out, where the tag's release can be chosen", () => {
    expect(warned("1.31", "global: {tag: 1.29.2}")).toEqual([
      expect.stringMatching(/: remove the tag, so that it follows the release, or set istio: "1.29"$/),
    ]);
    expect(warned("1.31", "global: {tag: 1.22.0}")).toEqual([
      expect.stringMatching(/: remove the tag, so that it follows the release$/),
    ]);
  });

  it.each<[string, IstioRelease, string]>([
    ["of the release", "1.29", "global: {tag: v1.29.2-debug, proxy: {image: r.example/proxyv2:1.29.0}}"],
    ["without a version", "1.31", "global: {tag: nightly, proxy: {image: r.example/proxyv2:latest}}"],
    ["of an image that is not Istio's", "1.31", "global: {proxy: {image: r.example/envoy:1.5.0}}"],
    ["of the development line", "development", "global: {tag: 1.29.2}"],
    ["that is a name to complete", "1.31", "global: {proxy: {image: proxyv2}}"],
  ])("accepts a tag %s", (_what, istio, text) => {
    expect(warned(istio, text)).toEqual([]);
  });

  it("counts the last file that sets a value", () => {
    expect(warned("1.31", "global: {tag: 1.29.2}", "global: {tag: 1.31.0}")).toEqual([]);
    expect(warned("1.31", "global: {tag: 1.31.0}", "global: {tag: 1.29.2}")).toEqual([
      expect.stringContaining("values/1:1:10 global.tag"),
    ]);
  });
});

describe("the values of which every image is made", () => {
  const errorsOf = (text: string) =>
    lintTree([{ "values/1": text }])
      .findings.filter(({ severity }) => severity === "error")
      .map(({ path, line, message }) => `${path}:${line} ${message}`);

  it("names the line of a tag or hub from which no image can be made", () => {
    expect(errorsOf('global:\n  hub: registry.example\n  tag: ""\n')).toEqual([
      'values/1:3 Cannot use values/1: values.global.tag cannot be "": use an image tag of letters, digits, dots, underscores and dashes',
    ]);
    expect(errorsOf("global:\n  hub: https://registry.example\n")).toEqual([expect.stringContaining("values/1:2 ")]);
  });

  it.each(["tag: 1.5", "tag: 1.30.0-distroless", "hub: registry.example:5000/istio"])("takes %s", (text) => {
    expect(errorsOf(`global:\n  ${text}\n`)).toEqual([]);
  });
});
