import { describe, expect, it } from "vitest";
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
});
