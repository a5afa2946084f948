import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { buildWebhookConfigurations } from "./build-webhook-configuration.ts";
import { explainSelection } from "./explain-selection.ts";

const INJECT = "sidecar.istio.io/inject";
const POD = { metadata: {}, spec: { containers: [] } };

describe("explainSelection()", () => {
  const shop = { name: "shop", labels: {} };

  it("says which webhook sends a pod, and what the others lack", () => {
    const selections = explainSelection("default", { ...shop, labels: { "istio-injection": "enabled" } }, POD);
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
      metadata: { name: "w" },
      webhooks: [{ name: "a.sidecar-injector.outrigger", matchConditions: conditions.map((one) => ({ name: one })) }],
    };
    const pod = {
      metadata: { labels: { [INJECT]: "false" }, annotations: { "kubernetes.io/config.mirror": "x" } },
      spec: { hostNetwork: true, containers: [] },
    };
    expect(explainSelection([object], shop, pod)).toEqual([
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

  it.each([
    [{ key: "a", operator: "In", values: ["x"] }, { a: "x" }, []],
    [{ key: "a", operator: "In", values: ["x"] }, { a: "y" }, ["the pod has a: y, not x"]],
    [{ key: "a", operator: "In", values: ["x", "z"] }, { a: "y" }, ["the pod has a: y, none of x, z"]],
    [{ key: "a", operator: "In", values: ["x", "z"] }, {}, ["the pod has no label a=x|z"]],
    [{ key: "a", operator: "NotIn", values: ["x"] }, { a: "x" }, ["the pod has a: x"]],
    [{ key: "a", operator: "DoesNotExist" }, { a: "x" }, ["the pod has a: x"]],
    [{ key: "a", operator: "Exists" }, {}, ["the pod has no label a"]],
  ])("says of the requirement %j of labels %j: %j", (requirement, labels, unmet) => {
    const webhook = { name: "w", objectSelector: { matchExpressions: [requirement] } };
    const pod = { metadata: { labels }, spec: { containers: [] } };
    expect(explainSelection([{ metadata: { name: "c" }, webhooks: [webhook] }], shop, pod)).toEqual([
      { title: "c, w", purpose: "", isSent: unmet.length === 0, unmet },
    ]);
  });

  it("says which labels each webhook of a configuration is for", () => {
    const settings = { deployment: "d", url: "https://a.test", token: "t".repeat(43), revision: "default" } as const;
    const registered = buildWebhookConfigurations({
      ...settings,
      tags: [],
      phase: "cluster",
      namespaces: [],
      timeoutSeconds: 10,
      enableNamespacesByDefault: true,
    }) as unknown as readonly JsonObject[];
    const titles = [
      ["rev.namespace", "for namespaces labelled istio.io/rev"],
      ["rev.object", "for pods labelled istio.io/rev"],
      ["namespace", "for namespaces labelled istio-injection"],
      ["object", "for pods labelled sidecar.istio.io/inject"],
      ["auto", "for pods and namespaces without a label"],
    ].map(([name, purpose]) => [`outrigger-sidecar-injector, ${name}`, purpose]);
    const selections = explainSelection(registered, shop, POD);
    expect(selections.map(({ title, purpose }) => [title, purpose])).toEqual(titles);
    expect(selections.map(({ isSent }) => isSent)).toEqual([false, false, false, false, true]);
    expect(explainSelection("default", shop, POD).map(({ purpose }) => purpose)).toEqual(
      titles.slice(0, 4).map(([, purpose]) => purpose),
    );
  });

  it("asks the namespace for the label with its name, and of a known webhook's conditions", () => {
    const [selection] = explainSelection("default", { name: "kube-system", labels: {} }, POD);
    expect(selection?.unmet).toContain("the namespace has kubernetes.io/metadata.name: kube-system");
    const pod = {
      metadata: { annotations: { "kubernetes.io/config.mirror": "x" } },
      spec: { hostNetwork: true, containers: [] },
    };
    for (const { unmet } of explainSelection("default", shop, pod)) {
      expect(unmet.slice(-2)).toEqual(["it is a mirror pod", "the pod is on the host's network"]);
    }
  });

  it("says the same of a pod before its revision is registered as after", () => {
    const out = { metadata: { labels: { "sidecar.istio.io/inject": "false" } }, spec: POD.spec ?? { containers: [] } };
    const settings = { deployment: "d", url: "https://a.test", token: "t".repeat(43), revision: "default" } as const;
    const registered = buildWebhookConfigurations({
      ...settings,
      tags: [],
      phase: "enforce",
      namespaces: [],
      timeoutSeconds: 10,
    }) as unknown as readonly JsonObject[];
    const unmet = (from: Parameters<typeof explainSelection>[0]) =>
      explainSelection(from, shop, out).map((one) => one.unmet);
    expect(unmet("default")).toEqual(unmet(registered));
    expect(unmet("default").every((reasons) => reasons.includes("the pod opts out"))).toBe(true);
  });

  it("sends a pod that no condition keeps back", () => {
    const conditions = ["not-on-the-host-network", "not-a-mirror-pod", "not-opted-out"].map((name) => ({ name }));
    const object = { metadata: { name: "c" }, webhooks: [{ name: "w", matchConditions: conditions }] };
    expect(explainSelection([object], shop, POD)).toEqual([{ title: "c, w", purpose: "", isSent: true, unmet: [] }]);
  });

  it("reads objects without names, webhooks and conditions", () => {
    expect(explainSelection([{}, { webhooks: [null] }], shop, POD)).toEqual([]);
    expect(explainSelection([{ webhooks: [{ name: "w", matchConditions: [5] }] }], shop, POD)).toEqual([
      { title: ", w", purpose: "", isSent: true, unmet: [] },
    ]);
  });
});
