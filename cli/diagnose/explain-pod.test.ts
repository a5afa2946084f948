import { compileRelease, loadRelease, podWarnings, type SourceTree } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { SHIPPED } from "../../test/cli/fake-aws.ts";
import { explainPod } from "./explain-pod.ts";

const OWN: SourceTree = {
  config:
    'defaultTemplates:\n- sidecar\n- name: agent\n  match: {podLabels: {logs: "yes"} }\n- {name: other, match: {namespaces: [till]} }\n',
  "templates/agent":
    "spec:\n  initContainers:\n  - name: agent\n    {{#if metadata.labels.big}}\n    {{> big}}\n    {{else}}\n    {{> small}}\n    {{/if}}\n  volumes:\n  - {name: logs, emptyDir: {} }\nmetadata:\n  labels: {agent: 'yes'}\n",
  "templates/other": "spec: {priority: 1}\n",
  "partials/big": "{{> small}}\n",
  "partials/small": "image: agent:1\n",
  "partials/proxy-image": "image: mine\n",
};

/** @param tree undefined where the texts of the release are not kept */
function account(pod: Pod, namespace = "shop", tree: SourceTree | undefined = OWN, shipped = SHIPPED) {
  const release = compileRelease([SHIPPED, OWN]);
  const request = { pod, namespace, parameters: {} };
  return explainPod("web.yaml", request, loadRelease(release), { release, tree, shipped }, podWarnings(release));
}

const podWith = (metadata: Pod["metadata"] = {}): Pod => ({
  metadata: { name: "web", ...metadata },
  spec: { containers: [{ name: "app", image: "app" }], volumes: [{ name: "own", emptyDir: {} }] },
});

describe("explainPod()", () => {
  it("says for an injected pod why, with which templates, and where each piece comes from", () => {
    const { decision, reason, chosenBy, templates } = account(podWith({ labels: { logs: "yes" } }));
    expect({ decision, reason, chosenBy }).toEqual({
      decision: "injected",
      reason: "policy-enabled",
      chosenBy: "defaultTemplates of the config",
    });
    expect(templates).toEqual([
      {
        name: "sidecar",
        path: "templates/sidecar",
        layer: "shipped",
        partials: [{ path: "partials/proxy-image", layer: "yours", replaces: true }],
      },
      {
        name: "agent",
        as: "labels.logs is yes",
        path: "templates/agent",
        layer: "yours",
        partials: [
          { path: "partials/big", layer: "yours" },
          { path: "partials/small", layer: "yours" },
        ],
      },
    ]);
  });

  it("names the default templates that are for other pods", () => {
    expect(account(podWith()).unmatched).toEqual([
      { name: "agent", as: "labels.logs is not yes" },
      { name: "other", as: "the namespace is not till" },
    ]);
    expect(account(podWith(), "till").unmatched).toEqual([{ name: "agent", as: "labels.logs is not yes" }]);
    expect(account(podWith({ labels: { logs: "yes" } }), "till").unmatched).toEqual([]);
  });

  it("names templates that an annotation asks for, and none of the defaults, which are not asked for", () => {
    const { chosenBy, templates, unmatched } = account(
      podWith({ annotations: { "inject.istio.io/templates": "agent" } }),
    );
    expect(chosenBy).toBe("annotation inject.istio.io/templates");
    expect(templates.map(({ name, as }) => [name, as])).toEqual([["agent", undefined]]);
    expect(unmatched).toEqual([]);
  });

  it("lists what is added, and not what the pod had", () => {
    const { added } = account(podWith({ labels: { logs: "yes" } }));
    expect(added).toMatchObject({ initContainers: ["agent"], volumes: ["logs"], containers: ["istio-proxy"] });
    expect(added["labels"]).toContain("agent");
    expect(added["labels"]).not.toContain("logs");
    expect(account(podWith()).added).not.toHaveProperty("initContainers");
  });

  it("says why a pod is skipped, and names no template that would not have come to it", () => {
    const { decision, reason, message, templates, unmatched, added } = account(
      podWith({ labels: { "sidecar.istio.io/inject": "false" } }),
    );
    expect([decision, reason]).toEqual(["skipped", "opted-out"]);
    expect(message).not.toBe("");
    expect({ templates, unmatched, added }).toEqual({ templates: [], unmatched: [], added: {} });
  });

  it("says why a pod is refused, by the error's code", () => {
    const { decision, reason, message } = account(podWith({ annotations: { "inject.istio.io/templates": "gone" } }));
    expect([decision, reason]).toEqual(["refused", "template-unknown"]);
    expect(message).toContain("gone");
  });

  it("says that a pod asked, by the label that it asks with", () => {
    const { reason, message } = account(podWith({ labels: { "sidecar.istio.io/inject": "true" } }));
    expect([reason, message]).toEqual(["opted-in", "the pod asks for it with sidecar.istio.io/inject"]);
  });

  it("says that the origin is not known where the texts are not kept", () => {
    const release = compileRelease([SHIPPED]);
    const layers = { release, tree: undefined, shipped: SHIPPED };
    const request = { pod: podWith(), namespace: "shop", parameters: {} };
    const { templates } = explainPod("web", request, loadRelease(release), layers, podWarnings(release));
    expect(templates[0]).toMatchObject({ layer: "unknown", partials: [{ layer: "unknown" }] });
  });

  it("takes the pod's own namespace, then the one that is asked about, then default", () => {
    expect(account(podWith({ namespace: "own" })).namespace).toBe("own");
    expect(account(podWith()).namespace).toBe("shop");
    expect(account(podWith(), "").namespace).toBe("default");
  });
});
