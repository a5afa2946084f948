import { describe, expect, it } from "vitest";
import { injectPod } from "../inject-pod.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";

const SAMPLE = "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";

/** Injects a pod with its labels, and with the annotation, whose JSON the template writes into its spec: what no lint can know. */
function injectWith(json: string, labels: Readonly<Record<string, string>> = {}) {
  const template = `spec:
  {{#if metadata.labels.empty}}
  containers: {{#if metadata.labels.full}}[{name: full, image: full}]{{else}}null{{/if}}
  {{/if}}\n  {{#if (lookup metadata.annotations "acme.io/spec")}}\n  containers: {{fromJson (lookup metadata.annotations "acme.io/spec")}}\n  {{/if}}\n`;
  const tree = { config: "defaultTemplates: [x]\n", "templates/x": template, "samples/web": SAMPLE };
  const injector = loadRelease(compileRelease([tree]));
  const pod = {
    metadata: { name: "web", labels, annotations: { "acme.io/spec": json } },
    spec: { containers: [{ name: "web", image: "web" }] },
  };
  return () => injectPod(injector, { pod, namespace: "shop", parameters: {} });
}

describe("injectPod() of a pod for which a template writes what is no part of a Pod", () => {
  it.each([
    ["a text in place of the containers", '"all"', "spec.containers", "must be a list"],
    ["an unknown field", '[{"name": "a", "image": "a", "imagee": "b"}]', "spec.containers[0].imagee", "is not a field"],
    [
      "a value of another type",
      '[{"name": "a", "image": "a", "args": 1}]',
      "spec.containers[0].args",
      "must be a list",
    ],
  ])("is the operator's error, with the template: %s", (_, json, path, words) => {
    expect(injectWith(json)).toThrow(
      expect.objectContaining({
        code: "overlay-invalid",
        path,
        message: expect.stringMatching(`${words}.*; correct template "x"`),
      }),
    );
  });

  it("is the operator's error, with the template, of null in place of the containers, in a branch of a branch", () => {
    expect(injectWith("", { empty: "true" })).toThrow(
      expect.objectContaining({
        code: "overlay-invalid",
        message: expect.stringMatching(/spec\.containers is null; correct template "x"/),
      }),
    );
    expect(injectWith("", { empty: "true", full: "true" })()).toMatchObject({ injected: true });
  });
});
