// The selectors of a registration with a label of the config's own.
import { matchesLabelSelector, parseLabelSelector } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { buildWebhookConfigurations } from "./build-webhook-configuration.ts";
import { explainSelection } from "./explain-selection.ts";
import { buildSafetyNet } from "./safety-net.ts";
import { selectorsOf } from "./selectors.ts";
import { usualMistakes } from "./usual-mistakes.ts";
import type { WebhookSettings } from "./webhook-settings.ts";

const KEY = "logs.example.com/inject";

const SETTINGS: WebhookSettings = {
  deployment: "prod",
  url: "https://hook.test",
  token: "t".repeat(43),
  revision: "default",
  tags: ["stable"],
  phase: "cluster",
  namespaces: [],
  timeoutSeconds: 10,
  safetyNet: "deny",
  injectionLabel: KEY,
};

type Labels = Readonly<Record<string, string>>;

function sentBy(revision: string, namespace: Labels, pod: Labels, byDefault = false): readonly string[] {
  const fits = (selector: unknown, labels: Labels) =>
    matchesLabelSelector(parseLabelSelector(selector, "selector"), labels);
  return selectorsOf(revision, [], byDefault, KEY)
    .filter(({ namespaceSelector, objectSelector }) => fits(namespaceSelector, namespace) && fits(objectSelector, pod))
    .map(({ name }) => name);
}

describe("selectorsOf() with a label of the config's own", () => {
  const shop = { "kubernetes.io/metadata.name": "shop" };
  it.each<[namespace: string | undefined, pod: string | undefined, byDefault: string[], v2: string[]]>([
    [undefined, undefined, [], []],
    [undefined, "true", ["object"], []],
    [undefined, "default", ["object"], []],
    [undefined, "false", [], []],
    [undefined, "v2", [], ["rev.object"]],
    ["true", undefined, ["namespace"], []],
    ["true", "true", ["namespace"], []],
    ["true", "false", [], []],
    ["true", "v2", ["namespace"], []],
    ["false", undefined, [], []],
    ["false", "true", [], []],
    ["v2", undefined, [], ["rev.namespace"]],
    ["v2", "true", [], ["rev.namespace"]],
    ["v2", "false", [], []],
    ["enabled", "true", [], []],
  ])("namespace %s, pod %s: the default revision's %j, another's %j", (namespace, pod, ofDefault, ofOther) => {
    const labels = (value: string | undefined): Labels => (value === undefined ? {} : { [KEY]: value });
    const place = { ...shop, ...labels(namespace) };
    expect(sentBy("default", place, labels(pod))).toEqual(ofDefault);
    expect(sentBy("v2", place, labels(pod))).toEqual(ofOther);
    // One webhook at most, whatever else is there: no pod is sent twice.
    const all = sentBy("default", place, labels(pod), true);
    expect(all.length).toBe(namespace === undefined && pod === undefined ? 1 : ofDefault.length);
  });

  it("claim no label of Istio's, in the webhooks and in the safety net", () => {
    const objects = [...buildWebhookConfigurations(SETTINGS), ...buildSafetyNet(SETTINGS)];
    expect(objects).toHaveLength(7);
    expect(JSON.stringify(objects)).toContain(KEY);
    expect(JSON.stringify(objects)).not.toMatch(/istio/i);
  });

  it.each(["true", "false"])("leave the name %s to the label's own values", (revision) => {
    expect(() => buildWebhookConfigurations({ ...SETTINGS, revision })).toThrow(`revision "${revision}"`);
    expect(() => buildWebhookConfigurations({ ...SETTINGS, tags: [revision] })).toThrow(`revision "${revision}"`);
  });

  it("are made of a label's key alone: nothing else reaches the expressions", () => {
    const injectionLabel = '" || true || "';
    expect(() => buildSafetyNet({ ...SETTINGS, injectionLabel })).toThrow("injectionLabel");
  });
});

describe("explainSelection() with a label of the config's own", () => {
  it("reads the label in the settings of registered webhooks, and takes it for planned ones", () => {
    const namespace = { name: "shop", labels: {} };
    const registered = buildWebhookConfigurations(SETTINGS).slice(0, 1);
    const [ofNamespace, ofPod] = explainSelection(registered, namespace, { metadata: { labels: { [KEY]: "true" } } });
    expect(ofNamespace).toMatchObject({ purpose: `for namespaces labelled ${KEY}`, isSent: false });
    expect(ofPod).toMatchObject({ purpose: `for pods labelled ${KEY}`, isSent: true });
    const planned = explainSelection("default", namespace, { metadata: { labels: { [KEY]: "false" } } }, KEY);
    expect(planned.map(({ unmet }) => unmet.at(-1))).toEqual(["the pod opts out", "the pod opts out"]);
  });
});

describe("usualMistakes() with a label of the config's own", () => {
  const ask = (namespace: Labels, pod: Labels, workloadLabels: Labels = {}) =>
    usualMistakes({
      namespace: "shop",
      namespaceLabels: namespace,
      pod: { metadata: { labels: pod } },
      workloadLabels,
      kind: "Deployment",
      revisions: ["default", "v2"],
      injectionLabel: KEY,
    });
  it.each<[Labels, Labels, string | undefined]>([
    [{}, {}, `kubectl label namespace shop ${KEY}=true, or label the pod template ${KEY}: "true"`],
    [
      { [KEY]: "enabled" },
      {},
      `${KEY} of the namespace is "enabled", which is neither true, nor false, nor a revision`,
    ],
    [{}, { [KEY]: "v3" }, `${KEY} of the pod is "v3"`],
    [{ [KEY]: "false" }, {}, "is switched off: kubectl label namespace shop"],
    [{}, { [KEY]: "v2" }, undefined],
    [{ [KEY]: "true" }, {}, undefined],
  ])("namespace %j, pod %j: %s", (namespace, pod, sentence) => {
    const found = ask(namespace, pod);
    expect(found.length).toBe(sentence === undefined ? 0 : 1);
    if (sentence !== undefined) expect(found[0]).toContain(sentence);
    expect(found.join()).not.toMatch(/istio/);
  });
  it("names a label that is on the workload alone", () => {
    expect(ask({ [KEY]: "true" }, {}, { [KEY]: "true" })[0]).toContain(`The label ${KEY} is on the Deployment`);
  });
});
