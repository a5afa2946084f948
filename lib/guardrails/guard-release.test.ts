import { compileRelease, type SourceTree } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { compileUntried } from "../../test/support/shipped-tree.ts";
import { guardRelease, requestsFor } from "./guard-release.ts";
import { parseGuardrails } from "./parse-guardrails.ts";

const podNamed = (name: string, more = "") =>
  `kind: Pod\nmetadata: {name: ${name}${more}}\nspec: {containers: [{name: app, image: app:1}]}\n`;
const SHIPPED: SourceTree = {
  config: "defaultTemplates: [sidecar]\n",
  "templates/sidecar": "spec:\n  containers:\n  - name: istio-proxy\n    image: registry.example/proxyv2\n",
  "samples/plain": podNamed("plain"),
};

const findingsOf = (tree: SourceTree, setting = "baseline", shipped = SHIPPED) =>
  guardRelease(parseGuardrails(setting), compileRelease([shipped, tree]), [shipped, tree]);

const NODE = "spec:\n  volumes:\n  - name: node\n    hostPath: {path: /run}\n";
const OWN = { config: "defaultTemplates: [sidecar, own]\n", "templates/own": NODE };

describe("guardRelease()", () => {
  it("says what a sample is given, with the line, the sample and the way out", () => {
    expect(findingsOf(OWN)).toEqual([
      {
        severity: "error",
        path: "templates/own",
        line: 4,
        column: 22,
        message:
          "Cannot use what it adds to pods: hostPath /run (spec.volumes[0].hostPath.path) is not within the guardrails for samples/plain; change it, or add hostPath:/run to the setting guardrails and deploy",
      },
    ]);
  });

  it("finds nothing where all is admitted, and asks nothing where guardrails are off", () => {
    expect(findingsOf({})).toEqual([]);
    expect(findingsOf(OWN, "baseline,hostPath:/run")).toEqual([]);
    expect(findingsOf(OWN, "")).toEqual([]);
  });

  it("says it once for all samples that are given it, and for each place", () => {
    const samples = { "samples/one": podNamed("one"), "samples/two": podNamed("two") };
    expect(findingsOf({ ...OWN, ...samples })).toHaveLength(1);
    const two = { ...OWN, "templates/own": `${NODE}  - name: other\n    hostPath: {path: /run}\n`, ...samples };
    expect(findingsOf(two).map(({ line }) => line)).toEqual([4, 6]);
  });

  it("says once what is another value for each sample, where an entry admits all of them", () => {
    const own = "spec:\n  volumes:\n  - name: a\n    secret: {secretName: '{{metadata.name}}-key'}\n";
    const tree = { ...OWN, "templates/own": own, "samples/one": podNamed("one"), "samples/two": podNamed("two") };
    const [finding, ...others] = findingsOf(tree, "baseline,secret:none");
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      path: "templates/own",
      line: 4,
      message: expect.stringContaining("add secret:*-key to"),
    });
  });

  it("judges what only a pod is given that asks for a template, of the upper tree alone", () => {
    const asked = { "templates/own": NODE };
    expect(findingsOf(asked)).toMatchObject([{ message: expect.stringContaining("for a pod that asks for own;") }]);
    expect(findingsOf({}, "baseline", { ...SHIPPED, ...asked })).toEqual([]);
  });

  it("leaves out a pod that is denied", () => {
    const denied = `${NODE}  hostname: "{{fail 'no'}}"\n`;
    const layers = [SHIPPED, { "templates/own": denied }];
    expect(guardRelease(parseGuardrails("baseline"), compileUntried(layers), layers)).toEqual([]);
  });
});

describe("requestsFor()", () => {
  const namesOf = (shipped: SourceTree, tree: SourceTree) => {
    const layers = [shipped, tree];
    return requestsFor(compileRelease(layers), layers).map(({ name }) => name);
  };

  it("are the samples of all trees, and a pod for each template and alias that the upper one writes", () => {
    const tree = {
      config: "aliases: {both: [sidecar, own], shipped: [sidecar]}\n",
      "templates/own": "{}\n",
      "samples/mine": podNamed("mine"),
    };
    expect(namesOf(SHIPPED, tree)).toEqual([
      "samples/plain",
      "samples/mine",
      "a pod that asks for own",
      "a pod that asks for both",
    ]);
    expect(namesOf(SHIPPED, {})).toEqual(["samples/plain"]);
  });

  it("leave out shipped samples that ask for a template, and keep those of the upper tree", () => {
    const asking = podNamed("asking", ", annotations: {inject.istio.io/templates: sidecar}");
    expect(namesOf({ ...SHIPPED, "samples/asking": asking }, {})).toEqual(["samples/plain"]);
    expect(namesOf(SHIPPED, { "samples/asking": asking })).toEqual(["samples/plain", "samples/asking"]);
  });
});
