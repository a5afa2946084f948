// Injects injected pods again: unusual pods and configurations. The usual ones are in test/golden.

import type { Container, Pod } from "@outrigger/pod";
import { beforeAll, describe, expect, it } from "vitest";
import { shippedTreeUntried } from "../../../test/support/shipped-tree.ts";
import { injectPod } from "../inject-pod.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";
import type { SourceTree } from "../release/source-tree.ts";

const PROBED: Container = { name: "web", image: "web", readinessProbe: { httpGet: { path: "/ready", port: 80 } } };
const PROXY: Container = { name: "istio-proxy", image: "auto" };

let shipped: SourceTree;

beforeAll(async () => {
  shipped = await shippedTreeUntried();
});

function injectTwice(layer: SourceTree, containers: readonly Container[], annotations?: Record<string, string>) {
  const injector = loadRelease(compileRelease([shipped, layer]));
  const inject = (pod: Pod) => {
    const result = injectPod(injector, { pod, namespace: "default", parameters: {} });
    if (!result.injected) throw new Error(result.message);
    return result;
  };
  const author: Pod = { metadata: { name: "web", ...(annotations && { annotations }) }, spec: { containers } };
  const first = inject(author).pod;
  const again = inject(first);
  return { author, first, patch: again.patch, restored: again.author };
}

describe("undoInjection()", () => {
  it("recognises a status as whole when a pull secret is listed twice", () => {
    const values = { "values/secrets": "global: {imagePullSecrets: [a, a]}" };
    const { first, patch } = injectTwice(values, [PROBED]);
    expect(first.spec?.imagePullSecrets).toEqual([{ name: "a" }, { name: "a" }]);
    expect(patch).toEqual([]);
  });

  it("undoes metrics merging when the configuration's own annotations say another port", () => {
    const config = { config: 'injectedAnnotations: {prometheus.io/port: "9"}' };
    for (const annotations of [{}, { "prometheus.io/port": "8080" }, { "prometheus.io/scrape": "false" }]) {
      const { first, patch } = injectTwice(config, [PROBED], annotations);
      expect(first.metadata?.annotations?.["prometheus.io/port"]).toBe("9");
      expect(patch).toEqual([]);
    }
  });

  it.each<Record<string, string>>([
    { "prometheus.io/scrape": "true" },
    { "prometheus.io/scrape": "", "prometheus.io/port": "8080" },
    { prometheus_io_port: "8080", "prometheus.io/path": "/m" },
    { "prometheus.io/port": "8080", prometheus_io_port: "9090" },
    { "prometheus.istio.io/scrape-targets": " 8080:/a , 9090 ", "prometheus.io/port": "8080" },
    { "prometheus.io/port": "15020", "prometheus.io/path": "/stats/prometheus" },
  ])("gives back scrape annotations as their author wrote them: %o", (annotations) => {
    const ports = [{ name: "http", containerPort: 8080 }];
    const named: Container = { ...PROBED, ports, readinessProbe: { httpGet: { path: "/ready", port: "http" } } };
    const { author, patch, restored } = injectTwice({}, [named], annotations);
    expect(restored.metadata?.annotations).toEqual(annotations);
    expect(restored.spec).toEqual(author.spec);
    expect(patch).toEqual([]);
  });

  it("takes away the scrape annotations of a template that metrics merging has read", () => {
    const layer = {
      config: "defaultTemplates: [sidecar, scraped]",
      "templates/scraped": 'metadata:\n  annotations:\n    prometheus.io/port: "9090"',
    };
    const { author, patch, restored } = injectTwice(layer, [PROBED], { other: "x" });
    expect(restored.metadata?.annotations).toEqual(author.metadata?.annotations);
    expect(patch).toEqual([]);
  });

  it("keeps the network's label where templates add nothing but a volume", () => {
    const layer = {
      config: "defaultTemplates: [stored]",
      "values/network": "global: {network: n1}",
      "templates/stored": "spec:\n  volumes: [{name: store, emptyDir: {}}]",
    };
    const { first, patch } = injectTwice(layer, [PROBED]);
    expect(first.metadata?.labels).toEqual({ "topology.istio.io/network": "n1" });
    expect(patch).toEqual([]);
  });

  it("keeps the author's proxy when a template without a proxy names it", () => {
    const config = { config: "defaultTemplates: [grpc-simple]\nnativeSidecars: true" };
    const proxy = { ...PROXY, env: [{ name: "PROXY_CONFIG", value: "{}" }] };
    const { first, patch } = injectTwice(config, [PROBED, proxy]);
    expect(first.metadata?.annotations).toHaveProperty(["proxy.istio.io/overrides"]);
    expect(patch).toEqual([]);
  });

  it("reads the injected variable of the agent when the author has a variable of that name", () => {
    const proxy = { ...PROXY, env: [{ name: "ISTIO_KUBE_APP_PROBERS", value: "{}" }] };
    expect(injectTwice({}, [PROBED, proxy]).patch).toEqual([]);
  });

  it.each(["", "platform: openshift\n", "nativeSidecars: true\n"])(
    "undoes what is written for Istio's CNI plugin, which redirects in place of istio-init: %j",
    (config) => {
      const cni = { "values/cni": "pilot: {cni: {enabled: true, provider: multus}}\n", config };
      const { first, patch } = injectTwice(cni, [PROBED], { "k8s.v1.cni.cncf.io/networks": "other" });
      expect(first.metadata?.annotations).toHaveProperty(["traffic.sidecar.istio.io/includeOutboundIPRanges"], "*");
      expect(first.metadata?.annotations?.["k8s.v1.cni.cncf.io/networks"]).toContain("istio-cni");
      expect(patch).toEqual([]);
    },
  );

  it("leaves the author's overrides that name no container", () => {
    const annotations = { "proxy.istio.io/overrides": "{}" };
    expect(injectTwice({}, [PROBED], annotations).patch).toEqual([]);
  });
});
