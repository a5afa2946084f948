import type { Pod } from "@outrigger/pod";
import { beforeAll, describe, expect, it } from "vitest";
import { shippedTreeUntried } from "../../../test/support/shipped-tree.ts";
import type { Injector } from "../injection.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";
import { uninjectPod } from "./uninject-pod.ts";

let injector: Injector;
beforeAll(async () => {
  injector = loadRelease(compileRelease([await shippedTreeUntried()]));
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
});
