import { baseProxyConfig } from "@outrigger/mesh";
import { describe, expect, it } from "vitest";
import { shippedTree } from "../../../../test/support/shipped-tree.ts";
import { injectPod } from "../../inject-pod.ts";
import { compileRelease } from "../compile-release.ts";
import { loadRelease } from "../load-release.ts";
import { STEPS_READ } from "./sound-trials.ts";

/** A copy of an object that notes which fields are read of it. */
function noting<T extends object>(object: T, seen: Set<string>): T {
  return new Proxy(object, {
    get(target, key, receiver) {
      if (typeof key === "string") seen.add(key);
      return Reflect.get(target, key, receiver);
    },
  });
}

describe("STEPS_READ", () => {
  it("names each field of the mesh that an injection reads for a template that reads none", async () => {
    const own = `spec:
  initContainers:
  - {name: istio-init, image: 'registry.example/init:1'}
  containers:
  - {name: istio-proxy, image: 'registry.example/own:1'}
`;
    const tree = { "templates/own": own, config: "defaultTemplates: [own]\n" };
    const release = compileRelease([await shippedTree(), tree]);
    const injector = loadRelease(release);
    const [ofMesh, ofProxies] = [new Set<string>(), new Set<string>()];
    const defaultConfig = noting(injector.meshConfig.defaultConfig, ofProxies);
    const meshConfig = noting({ ...injector.meshConfig, defaultConfig }, ofMesh);
    // It looks at all of them once for each mesh, to complete them.
    baseProxyConfig(meshConfig);
    for (const seen of [ofMesh, ofProxies]) seen.clear();
    // An author's own proxy with a user, probes and scrape annotations: the steps have something to do.
    const pod = {
      metadata: { annotations: { "prometheus.io/scrape": "true", "prometheus.io/port": "9090" } },
      spec: {
        containers: [
          { name: "web", image: "web:1", livenessProbe: { httpGet: { port: 8080, path: "/" } } },
          { name: "istio-proxy", image: "auto", securityContext: { runAsUser: 2000 } },
        ],
      },
    };
    const { injected } = injectPod({ ...injector, meshConfig }, { pod, namespace: "shop", parameters: {} });
    expect(injected).toBe(true);
    expect([...ofMesh].sort()).toEqual(["defaultConfig", ...STEPS_READ.mesh].sort());
    // The type of the image counts with the templates' inputs.
    expect([...ofProxies].sort()).toEqual(["image", ...STEPS_READ.proxies].sort());
  });
});
