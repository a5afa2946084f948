import type { Pod } from "@outrigger/pod";
import { beforeAll, describe, expect, it } from "vitest";
import { shippedTreeUntried } from "../../../test/support/shipped-tree.ts";
import type { Injector } from "../injection.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";
import type { SourceTree } from "../release/source-tree.ts";
import { uninjectPod } from "./uninject-pod.ts";

let shipped: SourceTree;
let injector: Injector;
beforeAll(async () => {
  shipped = await shippedTreeUntried();
  injector = loadRelease(compileRelease([shipped]));
});

/** A pod as Istio's injector leaves it where its CNI plugin redirects. */
function injectedByIstio(networks: string): Pod {
  const status = {
    initContainers: ["istio-validation"],
    containers: ["istio-proxy"],
    volumes: [],
    imagePullSecrets: null,
    revision: "default",
  };
  return {
    metadata: {
      name: "web",
      labels: { app: "web", "security.istio.io/tlsMode": "istio" },
      annotations: {
        "sidecar.istio.io/status": JSON.stringify(status),
        "sidecar.istio.io/interceptionMode": "REDIRECT",
        "k8s.v1.cni.cncf.io/networks": networks,
      },
    },
    spec: {
      initContainers: [{ name: "istio-validation", image: "proxyv2" }],
      containers: [
        { name: "web", image: "web" },
        { name: "istio-proxy", image: "proxyv2", args: ["proxy", "sidecar"] },
      ],
    },
  };
}

describe("uninjectPod()", () => {
  it("takes away the network of Istio's CNI plugin, and refuses others by name", () => {
    expect(uninjectPod(injector, injectedByIstio("default/istio-cni"))).toEqual({
      metadata: { name: "web", labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "web" }] },
    });
    // Whether the plugin's is among others, nothing records.
    expect(() => uninjectPod(injector, injectedByIstio("default/storage"))).toThrow(
      "annotation k8s.v1.cni.cncf.io/networks",
    );
  });

  it("takes away each annotation of the redirection that has the value of the release", () => {
    const settings = {
      includeIPRanges: "10.0.0.0/8",
      excludeIPRanges: "10.1.0.0/16",
      includeInboundPorts: "80,443",
      excludeInboundPorts: "81",
      includeOutboundPorts: "5432",
      excludeOutboundPorts: "3306",
    };
    const own = loadRelease(
      compileRelease([shipped, { "values/50-own": JSON.stringify({ global: { proxy: settings } }) }]),
    );
    const written = {
      "traffic.sidecar.istio.io/includeOutboundIPRanges": "10.0.0.0/8",
      "traffic.sidecar.istio.io/excludeOutboundIPRanges": "10.1.0.0/16",
      "traffic.sidecar.istio.io/includeInboundPorts": "80,443",
      // The agent's own port is never redirected.
      "traffic.sidecar.istio.io/excludeInboundPorts": "81,15020",
      "traffic.sidecar.istio.io/includeOutboundPorts": "5432",
      "traffic.sidecar.istio.io/excludeOutboundPorts": "3306",
    };
    const pod = injectedByIstio("default/istio-cni");
    const annotated = (annotations: Readonly<Record<string, string>>): Pod => ({
      ...pod,
      metadata: { ...pod.metadata, annotations: { ...pod.metadata?.annotations, ...annotations } },
    });
    expect(uninjectPod(own, annotated(written))).toEqual(uninjectPod(injector, pod));
    for (const key of Object.keys(written))
      expect(() => uninjectPod(own, annotated({ ...written, [key]: "9" }))).toThrow(`annotation ${key}`);
  });

  it("takes away the sysctl of the template of gateways, and no other, nor an author's", () => {
    const sysctls = [
      { name: "net.ipv4.ip_unprivileged_port_start", value: "0" },
      { name: "net.core.somaxconn", value: "1024" },
    ];
    const others = sysctls[1];
    const pod = injectedByIstio("default/istio-cni");
    const left = (templates: string, list: typeof sysctls, more = {}) => {
      const annotations = { ...pod.metadata?.annotations, "inject.istio.io/templates": templates };
      const securityContext = { ...more, sysctls: list };
      return uninjectPod(injector, {
        metadata: { ...pod.metadata, annotations },
        spec: { containers: [], ...pod.spec, securityContext },
      })?.spec?.securityContext;
    };
    expect(left("gateway", sysctls)).toEqual({ sysctls: [others] });
    expect(left("gateway", sysctls.slice(0, 1))).toBeUndefined();
    expect(left("gateway", sysctls.slice(0, 1), { runAsUser: 1 })).toEqual({ runAsUser: 1 });
    expect(left("sidecar", sysctls)).toEqual({ sysctls });
    const low = { name: "net.ipv4.ip_unprivileged_port_start", value: "80" };
    expect(left("gateway", [low])).toEqual({ sysctls: [low] });
  });

  it.each([
    ["istio-proxy", ["proxy", "sidecar", "--domain", "x"]],
    ["istio-init", ["istio-iptables", "-p", "15001"]],
    ["istio-validation", ["istio-iptables", "--run-validation"]],
    ["enable-core-dump", ["istio-iptables"]],
  ])("refuses a pod whose record does not name its %s", (name, args) => {
    const pod = injectedByIstio("default/istio-cni");
    const container = { name, image: "proxyv2", args, env: [{ name: "PROXY_CONFIG", value: "{}" }] };
    const spec = { containers: [{ name: "web", image: "web" }], initContainers: [container] };
    const status = JSON.stringify({ initContainers: [], containers: [], volumes: [] });
    const annotations = { ...pod.metadata?.annotations, "sidecar.istio.io/status": status };
    expect(() => uninjectPod(injector, { metadata: { ...pod.metadata, annotations }, spec })).toThrow(
      `container ${name}`,
    );
  });
});
