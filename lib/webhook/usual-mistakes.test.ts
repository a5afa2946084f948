import { describe, expect, it } from "vitest";
import { type MistakeQuestion, usualMistakes } from "./usual-mistakes.ts";

const INJECT = "sidecar.istio.io/inject";
const enabled = { "istio-injection": "enabled" };

const sound: MistakeQuestion = {
  namespace: "shop",
  namespaceLabels: enabled,
  pod: { metadata: {}, spec: { containers: [] } },
  workloadLabels: {},
  kind: "Deployment",
  revisions: ["default", "prod"],
};
const labelled = (labels: Readonly<Record<string, string>>) => ({ metadata: { labels }, spec: { containers: [] } });

describe("usualMistakes()", () => {
  it("finds none in a pod of an enabled namespace, nor in one that asks itself", () => {
    expect(usualMistakes(sound)).toEqual([]);
    expect(usualMistakes({ ...sound, namespaceLabels: {}, pod: labelled({ [INJECT]: "true" }) })).toEqual([]);
    expect(usualMistakes({ ...sound, namespaceLabels: { "istio.io/rev": "prod" } })).toEqual([]);
    expect(usualMistakes({ ...sound, namespaceLabels: undefined })).toEqual([]);
  });

  it.each<[string, Partial<MistakeQuestion>, string]>([
    ["a system namespace", { namespace: "kube-system" }, "Pods of kube-system are never injected"],
    ["the host's network", { pod: { spec: { hostNetwork: true, containers: [] } } }, "(spec.hostNetwork)"],
    [
      "a label on the Deployment",
      { namespaceLabels: {}, workloadLabels: { [INJECT]: "true" } },
      "on the Deployment and not on its pod template: move it to spec.template.metadata.labels",
    ],
    [
      "a revision on the CronJob",
      { kind: "CronJob", workloadLabels: { "istio.io/rev": "prod" } },
      "move it to spec.jobTemplate.spec.template.metadata.labels",
    ],
    ["inject: enabled", { pod: labelled({ [INJECT]: "enabled" }) }, 'is "enabled", which means nothing: write "true"'],
    [
      "an annotation in place of the label",
      { namespaceLabels: {}, pod: { metadata: { annotations: { [INJECT]: "true" } }, spec: { containers: [] } } },
      "is an annotation, which no selector sees",
    ],
    ["an opted-out pod", { pod: labelled({ [INJECT]: "false" }) }, 'its label sidecar.istio.io/inject is "false"'],
    ["the namespace's label on the pod", { pod: labelled(enabled) }, "The label istio-injection is for namespaces"],
    [
      "another revision of the pod",
      { pod: labelled({ "istio.io/rev": "1-9" }) },
      "of the pod is 1-9, which is not registered",
    ],
    [
      "another revision of the namespace",
      { namespaceLabels: { "istio.io/rev": "1-9" } },
      "of the namespace is 1-9, which is not registered (there is default, prod)",
    ],
    [
      "a disabled namespace",
      { namespaceLabels: { "istio-injection": "disabled" } },
      "istio-injection=enabled --overwrite",
    ],
    ["a misspelt value", { namespaceLabels: { "istio-injection": "true" } }, 'is "true", which means nothing'],
    ["both labels", { namespaceLabels: { ...enabled, "istio.io/rev": "prod" } }, "istio-injection wins"],
    ["no label at all", { namespaceLabels: {} }, "Neither the namespace nor the pod asks for a sidecar"],
  ])("names %s", (_what, change, sentence) => {
    expect(usualMistakes({ ...sound, ...change }).join("\n")).toContain(sentence);
  });
});
