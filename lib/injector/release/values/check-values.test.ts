import { metadataKeys } from "@outrigger/base";
import { beforeAll, describe, expect, it } from "vitest";
import { shippedTreeUntried } from "../../../../test/support/shipped-tree.ts";
import { validateAnnotations } from "../../decide/validate-annotations.ts";
import { compileRelease, lintTree } from "../compile-release.ts";
import type { SourceTree } from "../source-tree.ts";
import { valueProblem } from "./values-rules.ts";

let shipped: SourceTree;
beforeAll(async () => {
  shipped = await shippedTreeUntried();
});

function lint(tree: SourceTree) {
  return lintTree([shipped, tree]).findings.map(
    ({ severity, path, line, column, message }) => `${path}:${line}:${column}: ${severity}: ${message}`,
  );
}

function denial(annotation: string, value: string): string | undefined {
  try {
    validateAnnotations({ [annotation]: value });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe("checkValues()", () => {
  it("takes every key of a map that is empty in the layer below, and none of one that is not", () => {
    const own = { "templates/mine": "spec: {}\n", "values/10": "global:\n  anything: {}\n" };
    const findings = (values: string) =>
      lintTree([own, { "values/20": values }]).findings.map(({ message }) => message);
    expect(findings("global:\n  anything:\n    goes: 1\n")).toEqual([]);
    expect(findings("global:\n  anthing:\n    goes: 1\n")).toEqual([
      expect.stringContaining("values.global.anthing is not known"),
    ]);
  });

  it("says first what is wrong first in the file", () => {
    const tree = { "values/10": "global:\n  tag: ''\n  hub: Not a registry\n" };
    expect(() => compileRelease([shipped, tree])).toThrow(
      /^Cannot use values\/10: values.global.tag .*; 1 more error$/,
    );
  });

  it.each([
    ["glbal: {hub: a}\n", "values/10:1:1: warning: values.glbal is not known", 'did you mean "global"'],
    ["global:\n  prxy: {}\n", "values/10:2:3: warning: values.global.prxy is not known", 'did you mean "proxy"'],
    ["global:\n  tagg: '1'\n", "values/10:2:3: warning: values.global.tagg is not known", 'did you mean "tag"'],
    [
      "global:\n  tag: 1.30\n",
      "values/10:2:8: warning: values.global.tag is a number, and the layer below has text",
      "",
    ],
    ["global: [1, 2]\n", "values/10:1:9: error: Cannot use values/10: values.global must be a mapping", "it is a list"],
    ["global:\n  hub: null\n", "values/10:2:8: error: Cannot use values/10: values.global.hub must not be null", ""],
    ["global:\n  tag: null\n", "values/10:2:8: error: Cannot use values/10: values.global.tag must not be null", ""],
    [
      'global:\n  tag: ""\n',
      'values/10:2:8: error: Cannot use values/10: values.global.tag cannot be "": use an image',
      "",
    ],
    [
      "global:\n  hub: my registry!\n",
      'values/10:2:8: error: Cannot use values/10: values.global.hub cannot be "my registry!": use a registry',
      "",
    ],
    [
      "global:\n  network: net/a\n",
      'values/10:2:12: error: Cannot use values/10: values.global.network cannot be "net/a": use at most 63 letters',
      "",
    ],
    [
      "global:\n  imagePullPolicy: IfNotPresnt\n",
      'values/10:2:20: error: Cannot use values/10: values.global.imagePullPolicy cannot be "IfNotPresnt": use',
      '"", Always, IfNotPresent or Never',
    ],
    [
      "global:\n  proxy: {resources: {requests: {memory: 1 GB}}}\n",
      'values/10:2:42: error: Cannot use values/10: values.global.proxy.resources.requests.memory cannot be "1 GB": use a quantity',
      "",
    ],
    [
      "sidecarInjectorWebhook:\n  rewriteAppHTTPProbe: 'false'\n",
      "values/10:2:24: error: Cannot use values/10: sidecarInjectorWebhook.rewriteAppHTTPProbe must be true or false",
      "",
    ],
  ])("finds what is wrong with %j", (text, start, words) => {
    const findings = lint({ "values/10": text });
    expect(findings).toContainEqual(expect.stringContaining(start));
    expect(findings.join("\n")).toContain(words);
  });

  it.each([
    ["a value of the shipped layer", "global: {hub: registry.example:5000/mine, proxy: {logLevel: debug}}\n"],
    ["any key of a map that is empty below", "global: {proxy: {lifecycle: {preStop: {exec: {command: [a]}}}}}\n"],
  ])("takes %s", (_what, text) => {
    expect(lint({ "values/10": text })).toEqual([]);
  });

  it.each([
    ["imagePullPolicy", ["", "Always", "IfNotPresent", "Never"]],
    ["proxy: {logLevel", ["trace", "debug", "info", "warning", "warn", "error", "critical", "off"]],
    ["variant", ["", "distroless", "debug", "default", "fips"]],
  ])("takes each value that Istio knows of %s", (key, values) => {
    const texts = values.map((value) => `global: {${key}: "${value}"${key.includes("{") ? "}" : ""}}\n`);
    expect(texts.flatMap((text) => lint({ "values/10": text }))).toEqual([]);
  });

  it.each([
    // As in Istio, the name is then proxyv2.
    "",
    "proxyv2",
    "proxy-debug",
    "registry.example/istio/proxyv2:1.31.0-debug",
    "registry.example:5000/proxyv2",
    `registry.example/istio/proxyv2@sha256:${"0a".repeat(32)}`,
  ])("takes the proxy's image %s", (image) => {
    expect(lint({ "values/10": `global:\n  proxy: {image: "${image}"}\n  proxy_init: {image: "${image}"}\n` })).toEqual(
      [],
    );
  });

  it.each(["proxyv2:1.31.0", "Proxy", "registry.example/", "a/b:", "a/b@sha256:1", " "])(
    "refuses the proxy's image %j, which makes no image",
    (image) => {
      expect(lint({ "values/10": `global:\n  proxy: {image: "${image}"}\n` })).toEqual([
        expect.stringMatching(/values\.global\.proxy\.image cannot be ".*": use the name of an image/),
      ]);
    },
  );

  it.each<[string, boolean]>([
    ["istio", true],
    ["Registry.example:5000/istio/release_2", true],
    ["localhost:5000", true],
    ["registry.example/Istio", false],
    ["registry.example/istio:1", false],
    ["https://registry.example", false],
    ["registry.example/", false],
    ["", false],
  ])("knows of the registry and path %j whether a runtime takes an image from it", (hub, isTaken) => {
    expect(valueProblem(["global", "hub"], hub, true) === undefined).toBe(isTaken);
  });

  it.each([
    ["includeIPRanges", ["x", "", "10.0.0.0/99", "*", "10.0.0.0/8"], metadataKeys.includeOutboundRanges],
    ["excludeIPRanges", ["x", "10.0.0.0/99", "10.0.0.0/8,::/0", "*"], metadataKeys.excludeOutboundRanges],
    ["includeInboundPorts", ["80;90", "*", "80,443", "65536", "a"], metadataKeys.includeInboundPorts],
    ["excludeInboundPorts", ["x", "80", "80, 90", "*", "-1"], metadataKeys.excludeInboundPorts],
    ["excludeOutboundPorts", ["80,x", "", "1,65535"], metadataKeys.excludeOutboundPorts],
    ["statusPort", ["65536", "0", "15099", "a"], metadataKeys.statusPort],
    ["readinessPeriodSeconds", ["-1", "1.5", "30"], metadataKeys.readinessPeriod],
  ])("answers of %s as the annotation does of which it is the default", (name, values, annotation) => {
    for (const value of values) {
      const denied = denial(annotation, value)?.replace(/^Annotation \S+ /, "");
      const findings = lint({ "values/10": `global:\n  proxy:\n    ${name}: ${JSON.stringify(value)}\n` });
      const wrong = findings.find((finding) => finding.includes(": error: "));
      expect({ value, wrong: wrong?.replace(/^.*: values\.\S+ /, "") }).toEqual({ value, wrong: denied });
    }
  });

  it.each([
    ["global.proxy.includeOutboundPorts", "a", 'cannot be "a": use ports from 0 to 65535 joined by commas'],
    ["global.proxy.clusterDomain", "a b", 'cannot be "a b": use a domain, like cluster.local'],
    ["global.multiCluster.clusterName", "a b", 'cannot be "a b": use a name without white space'],
    ["global.caAddress", "a b", 'cannot be "a b": use "" or a host and a port'],
    ["global.caAddress", "ca.example", 'cannot be "ca.example": use "" or a host and a port'],
    ["global.trustDomain", "a_b", 'cannot be "a_b": use "" or a domain'],
    ["global.logging.level", "default:verbose", 'cannot be "default:verbose": use levels of the agent'],
    ["global.proxy.componentLogLevel", "misc", 'cannot be "misc": use levels of Envoy'],
    ["global.proxy.logLevel", "loud", 'cannot be "loud": use "", trace, debug'],
    ["global.variant", "a b", 'cannot be "a b": use a variant of the image'],
    ["global.hub", ["a"], "must be text or a number: use a registry"],
    ["global.sts.servicePort", 70000, 'cannot be "70000": use a port from 0 to 65535'],
    ["global.imagePullSecrets", [""], 'has an item that cannot be "": use the name of a Secret'],
    ["global.imagePullSecrets", "a", "must be a list: each item is the name of a Secret"],
    ["global.proxy.includeIPRanges", null, "must not be null: istio-init would redirect nothing"],
    ["global.proxy.statusPort", [1], "must be text or a number"],
  ])("rejects a value of %s that no pod can use", (path, value, words) => {
    const tree = path.split(".").reduceRight((inner: unknown, key) => ({ [key]: inner }), value);
    expect(lint({ "values/10": JSON.stringify(tree) })).toContainEqual(
      expect.stringContaining(`error: Cannot use values/10: values.${path} ${words}`),
    );
  });

  it("says once that all values are deleted", () => {
    expect(lint({ "values/10": "global: null\n" })).toEqual([
      expect.stringContaining("values.global must not be null"),
    ]);
  });

  it("takes null, which deletes", () => {
    const findings = lint({ "values/10": "global: {proxy: {resources: null}}\n" });
    expect(findings.filter((finding) => finding.startsWith("values/10"))).toEqual([]);
  });

  it("takes a value that a template of the tree reads", () => {
    const template = "metadata:\n  labels:\n    a: {{values.mine.label}}\n";
    expect(lint({ "values/10": "mine: {label: x}\n", "templates/x": template })).toEqual([]);
  });
});

describe("checkSchema()", () => {
  const schema = JSON.stringify({
    type: "object",
    properties: { team: { type: "object", required: ["name"], properties: { size: { type: "integer", maximum: 9 } } } },
  });
  const template = "metadata:\n  labels:\n    a: {{values.team.name}}\n    b: s{{values.team.size}}\n";

  it("rejects values that do not match the tree's schema, at their line", () => {
    const findings = lint({ schema, "templates/x": template, "values/10": "team:\n  name: a\n  size: 12\n" });
    expect(findings).toEqual([
      expect.stringMatching(/^values\/10:3:9: error: .*values\.team\.size does not match the tree's schema/),
    ]);
  });

  it("takes values that match", () => {
    expect(lint({ schema, "templates/x": template, "values/10": "team: {name: a, size: 2}\n" })).toEqual([]);
  });
});
