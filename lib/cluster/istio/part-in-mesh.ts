// Whether what is served has a part in a mesh: where it has none, nobody asks the cluster for an istiod and its mesh config, and no role for
// that is needed. Pure.
import { injectionKeys, textOf } from "@outrigger/base";
import { containerNames, injectPod, loadRelease, type Release } from "@outrigger/injector";
import { containersOf, type Pod } from "@outrigger/pod";

/**
 * Returns the namespace where istiod is looked for; undefined where no served release has a part in a mesh.
 *
 * @param channels that the cluster's revisions follow; a release that is not known may have a part
 */
export function istioNamespaceFor(
  channels: readonly string[],
  releaseOf: (channel: string) => Release | undefined,
  istioNamespace: string,
): string | undefined {
  const mayHavePart = (release: Release | undefined) => release === undefined || hasPartInMesh(release);
  return channels.some((channel) => mayHavePart(releaseOf(channel))) ? istioNamespace : undefined;
}

/** Whether pods of a release may be in Istio's mesh. With a label of its own and no proxy, it comes beside one. */
export function hasPartInMesh(release: Release): boolean {
  const { mesh, injectionLabel } = release.config;
  return mesh !== "none" && (injectionLabel === undefined || injectedProxyImage(release) !== undefined);
}

/** The image of the proxy that a release injects into a plain pod: `istio/proxyv2:1.31.2`; undefined where it injects none. */
export function injectedProxyImage(release: Release): string | undefined {
  const pod = plainPod(release.config.injectionLabel);
  const result = injectPod(loadRelease(release), { pod, namespace: "default", parameters: {} });
  if (!result.injected) return undefined;
  return textOf(containersOf(result.pod.spec).find(({ name }) => name === containerNames.proxy)?.["image"]);
}

function plainPod(injectionLabel: string | undefined): Pod {
  return {
    metadata: { name: "check", labels: { [injectionKeys(injectionLabel).inject]: "true" } },
    spec: { containers: [{ name: "app", image: "app" }] },
  };
}
