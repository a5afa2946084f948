// Which proxy a release injects.
import { containerNames, injectPod, labelKeys, loadRelease, type Release } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";

const PLAIN: Pod = {
  metadata: { name: "check", labels: { [labelKeys.inject]: "true" } },
  spec: { containers: [{ name: "app", image: "app" }] },
};

/** The image of the proxy that a release injects into a plain pod: `istio/proxyv2:1.31.2`; undefined where it injects none. */
export function injectedProxyImage(release: Release): string | undefined {
  const result = injectPod(loadRelease(release), { pod: PLAIN, namespace: "default", parameters: {} });
  const { containers = [], initContainers = [] } = (result.injected ? result.pod.spec : undefined) ?? {};
  return [...containers, ...initContainers].find(({ name }) => name === containerNames.proxy)?.image;
}
