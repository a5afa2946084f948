import { describe, expect, it } from "vitest";
import { explainSelection, webhooksOf, webhooksOfRevision } from "./explain-selection.ts";
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

describe("explainSelection()", () => {
  const name = { "kubernetes.io/metadata.name": "shop" };

  it("says which webhook sends a pod, and what the others lack", () => {
    const selections = explainSelection(webhooksOfRevision("default"), { ...name, ...enabled }, sound.pod);
    expect(selections.filter(({ isSent }) => isSent).map(({ title }) => title)).toEqual([
      "revision default, namespace",
    ]);
    expect(selections[0]?.unmet).toEqual([
      "the namespace has no label istio.io/rev=default",
      "the namespace has istio-injection: enabled",
    ]);
  });

  it("names the conditions that do not hold", () => {
    const conditions = ["dry-run", "not-on-the-host-network", "not-a-mirror-pod", "not-opted-out", "another"];
    const object = {
      webhooks: [{ name: "a.sidecar-injector.outrigger", matchConditions: conditions.map((one) => ({ name: one })) }],
    };
    const pod = {
      metadata: { labels: { [INJECT]: "false" }, annotations: { "kubernetes.io/config.mirror": "x" } },
      spec: { hostNetwork: true, containers: [] },
    };
    expect(explainSelection(webhooksOf("w", object), name, pod)).toEqual([
      {
        title: "w, a",
        purpose: "",
        isSent: false,
        unmet: [
          "only dry runs are sent (phase audit)",
          "the pod is on the host's network",
          "it is a mirror pod",
          "the pod opts out",
        ],
      },
    ]);
  });
});
