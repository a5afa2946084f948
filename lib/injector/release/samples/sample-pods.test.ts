import { describe, expect, it } from "vitest";
import { manifestPods, samplePods } from "./sample-pods.ts";

const SPEC = "{containers: [{name: web, image: web}]}";
const POD = `kind: Pod\napiVersion: v1\nmetadata: {name: one}\nspec: ${SPEC}\n`;
const DEPLOYMENT = `kind: Deployment\napiVersion: apps/v1\nmetadata: {name: two, namespace: shop}\nspec: {template: {metadata: {labels: {app: two}}, spec: ${SPEC}}}\n`;
const SERVICE = "kind: Service\napiVersion: v1\nmetadata: {name: web}\n";

/** Returns, for each pod, its name, its place, and the kind and name of its document. */
const summary = (pods: ReturnType<typeof manifestPods>) =>
  pods.map(({ name, request, document }) => [
    name,
    request.namespace,
    document["kind"],
    request.pod.spec?.containers.map((container) => container.name).join(),
  ]);

describe("samplePods()", () => {
  it("leaves out what the shipped tree has for a mesh where the tree above it says mesh: none", () => {
    const shipped = { "samples/plain-pod": POD, "samples/gateway-pod": POD };
    const namesOf = (config: string) => samplePods([shipped, { config, "samples/own": POD }]).map(({ name }) => name);
    expect(namesOf("mesh: none\n")).toEqual(["samples/plain-pod", "samples/own"]);
    expect(namesOf("policy: enabled\n")).toEqual(["samples/gateway-pod", "samples/plain-pod", "samples/own"]);
  });
});

describe("manifestPods()", () => {
  it.each([
    ["a pod", [POD], [["0.yaml", "", "Pod", "web"]]],
    ["a workload, and what has no pod", [`${SERVICE}---\n${DEPLOYMENT}`], [["0.yaml", "shop", "Deployment", "web"]]],
    [
      "two documents",
      [`${POD}---\n${DEPLOYMENT}`],
      [
        ["0.yaml, pod 1", "", "Pod", "web"],
        ["0.yaml, pod 2", "shop", "Deployment", "web"],
      ],
    ],
    [
      "a list, with a patch that has none, and of a list without items",
      [
        `kind: List\napiVersion: v1\nitems: [{kind: Deployment, apiVersion: apps/v1, spec: {template: {spec: {}}}}, {kind: Pod, spec: ${SPEC}}, {kind: Deployment, apiVersion: apps/v1, spec: {template: {spec: ${SPEC}}}}]`,
        "kind: List\napiVersion: v1\nitems: {}\n",
      ],
      [
        ["0.yaml, pod 1", "", "Pod", "web"],
        ["0.yaml, pod 2", "", "Deployment", "web"],
      ],
    ],
    [
      "two manifests, and one without a pod",
      [POD, SERVICE, DEPLOYMENT],
      [
        ["0.yaml", "", "Pod", "web"],
        ["2.yaml", "shop", "Deployment", "web"],
      ],
    ],
  ])("finds the pods of %s", (_what, texts, expected) => {
    const manifests = texts.map((text, index) => ({ text, source: `${index}.yaml` }));
    expect(summary(manifestPods(manifests))).toEqual(expected);
  });

  it("takes the namespace from the caller where the document has none", () => {
    expect(manifestPods([{ text: POD, source: "pod.yaml" }], { namespace: "mine" })).toMatchObject([
      { request: { namespace: "mine" } },
    ]);
  });

  it.each([
    ["an empty text", [""], "0.yaml"],
    ["what has no pod", [SERVICE, SERVICE], "0.yaml, 1.yaml"],
  ])("rejects manifests that are %s, by their names", (_what, texts, path) => {
    const manifests = texts.map((text, index) => ({ text, source: `${index}.yaml` }));
    expect(() => manifestPods(manifests)).toThrow(
      expect.objectContaining({
        code: "manifest-invalid",
        path,
        message: `Cannot find a pod in ${path}: give it a Pod, or a workload that has one`,
      }),
    );
  });
});

describe("samplePods()", () => {
  it("gives the last sample of each name, and leaves out what is not a pod", () => {
    const layers = [
      { "samples/a": POD, "samples/b": POD },
      { "samples/a": POD.replace("one", "other"), "samples/list": "[]", "samples/open": "a: [", "templates/a": POD },
    ];
    const names = samplePods(layers).map(({ name, request }) => [name, request.pod.metadata?.name, request.namespace]);
    expect(names).toEqual([
      ["samples/a", "other", "default"],
      ["samples/b", "one", "default"],
    ]);
  });

  it("gives a pod with a container for each template that pods may ask for, once", () => {
    const [asking, ...more] = samplePods([], ["spire", "spire"]);
    expect(more).toEqual([]);
    expect(asking?.name).toBe("a pod that asks for spire");
    expect(asking?.request.pod.metadata).toMatchObject({
      labels: { "sidecar.istio.io/inject": "true" },
      annotations: { "inject.istio.io/templates": "spire" },
    });
    expect(asking?.request.pod.spec?.containers).toHaveLength(1);
  });
});
