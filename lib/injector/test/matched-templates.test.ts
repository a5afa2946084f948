// A tree of three sidecars, each for some pods, on real pods: who gets nothing is left alone, and what authors wrote of metrics stays.

import { metadataKeys } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { realPods } from "../../../test/pod-validation/pod-cases.ts";
import { injectPod } from "../inject-pod.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";

const sidecar = (name: string) =>
  `spec:\n  containers:\n  - {name: acme-${name}, image: "registry.example/${name}:1"}\n`;
const TREE = {
  config: `defaultTemplates:
- name: logs
  match:
    podLabels: {acme/logs: "yes"}
- name: vault
  match:
    podLabels: {acme/vault: [files, env]}
    namespaces: [shop]
- name: traces
  match:
    namespaces: [till]
`,
  mesh: "enablePrometheusMerge: true\ndefaultConfig: {holdApplicationUntilProxyStarts: true}\n",
  "templates/logs": sidecar("logs"),
  "templates/vault": sidecar("vault"),
  "templates/traces": sidecar("traces"),
};
const LABELS: readonly Record<string, string>[] = [
  {},
  { "acme/logs": "yes" },
  { "acme/vault": "env" },
  { "acme/logs": "no", "acme/vault": "off" },
  { "acme/logs": "yes", "acme/vault": "files" },
];

const injector = loadRelease(compileRelease([TREE]));
/** Accepted pods that say nothing to an injector themselves. */
const pods = realPods().flatMap(({ verdict, pod }) => {
  const { metadata } = pod as unknown as Pod;
  const keys = [metadata?.labels, metadata?.annotations].flatMap((map) => Object.keys(map ?? {}));
  return verdict === "accepted" && !keys.some((key) => key.includes("istio.io")) ? [pod as unknown as Pod] : [];
});

describe("three sidecars, each for some pods", () => {
  it("leaves real pods alone that none is for, and adds only containers to the others", () => {
    const counts = { none: 0, some: 0, out: 0 };
    pods.forEach((written, index) => {
      const labels = LABELS[index % LABELS.length] as Record<string, string>;
      const namespace = ["mail", "shop", "till"][index % 3] as string;
      const { namespace: _, ...own } = written.metadata ?? {};
      const metadata = { ...own, labels: { ...own.labels, ...labels } };
      const pod: Pod = { ...written, metadata };
      const wanted = [
        ...(labels["acme/logs"] === "yes" ? ["logs"] : []),
        ...(/^(?:files|env)$/.test(labels["acme/vault"] ?? "") && namespace === "shop" ? ["vault"] : []),
        ...(namespace === "till" ? ["traces"] : []),
      ];
      const result = injectPod(injector, { pod, namespace, parameters: {}, isTrial: true });
      if (!result.injected) {
        if (result.reason === "no-template") expect(wanted).toEqual([]);
        else expect(result.reason).toMatch(/^(?:host-network|windows)$/);
        counts[result.reason === "no-template" ? "none" : "out"]++;
        return;
      }
      counts.some++;
      expect(result.templates).toEqual(wanted);
      const { [metadataKeys.status]: record, ...annotations } = result.pod.metadata?.annotations ?? {};
      expect(record).toBeDefined();
      expect(annotations).toEqual(written.metadata?.annotations ?? {});
      const added = result.pod.spec?.containers.slice(0, wanted.length).map(({ name }) => name);
      expect(added?.sort()).toEqual(wanted.map((name) => `acme-${name}`).sort());
      expect(result.pod.spec?.containers.slice(wanted.length)).toEqual(pod.spec?.containers);
    });
    expect(counts).toEqual({ none: 100, some: 200, out: 42 });
  });
});
