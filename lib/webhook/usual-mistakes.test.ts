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
      { workloadLabels: { [INJECT]: "true" } },
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
      { pod: { metadata: { annotations: { [INJECT]: "true" } }, spec: { containers: [] } } },
      "is an annotation, which no selector sees",
    ],
    ["an opted-out pod", { pod: labelled({ [INJECT]: "false" }) }, 'its label sidecar.istio.io/inject is "false"'],
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
    expect(usualMistakes({ ...sound, ...change })).toEqual([expect.stringContaining(sentence)]);
  });

  it("names several, those of the place first, then of the workload, the pod and the namespace", () => {
    const sentences = usualMistakes({
      namespace: "kube-system",
      namespaceLabels: { "istio-injection": "disabled" },
      pod: { metadata: { labels: { ...enabled, [INJECT]: "yes" } }, spec: { hostNetwork: true, containers: [] } },
      workloadLabels: { [INJECT]: "true", "istio.io/rev": "prod" },
      kind: "Deployment",
      revisions: undefined,
    });
    expect(sentences.map((sentence) => sentence.split(":")[0])).toEqual([
      "Pods of kube-system are never injected",
      expect.stringContaining("uses the host's network"),
      "The label istio.io/rev is on the Deployment and not on its pod template",
      expect.stringContaining('is "yes", which means nothing'),
      "The namespace kube-system is switched off",
    ]);
  });

  const annotated = (value: string, labels = {}) => ({
    metadata: { labels, annotations: { [INJECT]: value } },
    spec: { containers: [] },
  });
  it.each<[string, Partial<MistakeQuestion>]>([
    [
      "a label that is on the pod template too",
      { workloadLabels: { [INJECT]: "true" }, pod: labelled({ [INJECT]: "true" }) },
    ],
    ["a label that asks, with an annotation that does not", { pod: annotated("false", { [INJECT]: "true" }) }],
    ["a label that asks, with an annotation that does too", { pod: annotated("true", { [INJECT]: "true" }) }],
    ["an annotation that means nothing", { pod: annotated("maybe") }],
    [
      "a revision where the registered ones are not known",
      { pod: labelled({ "istio.io/rev": "x" }), revisions: undefined },
    ],
    [
      "a registered revision, in a namespace without labels",
      { namespaceLabels: {}, pod: labelled({ "istio.io/rev": "prod" }) },
    ],
  ])("finds nothing wrong in %s", (_what, change) => {
    expect(usualMistakes({ ...sound, ...change })).toEqual([]);
  });

  it("names an annotation that opts out, and that no revision is registered", () => {
    expect(usualMistakes({ ...sound, pod: annotated("false") })).toEqual([
      'The pod opts out: its annotation sidecar.istio.io/inject is "false"',
    ]);
    expect(usualMistakes({ ...sound, pod: labelled({ "istio.io/rev": "x" }), revisions: [] })).toEqual([
      "istio.io/rev of the pod is x, which is not registered (there is none): correct the label, or outrigger register --revision x, or --tag x if it names another revision",
    ]);
  });
});
