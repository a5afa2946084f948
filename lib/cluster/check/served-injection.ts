// What the served releases would do with a cluster's pods: samples to try, and the proxy's image.

import { ownError, textOf } from "@outrigger/base";
import type { Release, SourceTree } from "@outrigger/injector";
import { containerNames, decide, injectPod, labelKeys, loadRelease, samplePods } from "@outrigger/injector";
import { containersOf, type Pod } from "@outrigger/pod";
import { readSourceParameters } from "@outrigger/publisher";
import type { CheckPorts } from "./check-ports.ts";
import type { SampleToTry } from "./dry-runs.ts";

/** The release that serves a revision, where one does. */
export type ReleaseFor = (revision: string) => Release | undefined;

/** The shipped tree and the source, where that can be read. */
export async function layersOf({ store, layout, shippedTree }: CheckPorts): Promise<readonly SourceTree[]> {
  const own = await readSourceParameters(store, layout).catch((error: unknown) => {
    ownError(error);
    return { tree: {} };
  });
  return [await shippedTree(), own.tree];
}

/** Samples of both trees. */
export async function samplesOf(ports: CheckPorts, release: Release | undefined): Promise<readonly SampleToTry[]> {
  return samplePods(await layersOf(ports)).map(({ name, request: { pod } }) => ({
    name,
    pod,
    isInjected: (namespace, labels) =>
      release === undefined ||
      decide(release.config, { ...pod, metadata: { ...pod.metadata, labels } }, namespace).inject,
  }));
}

/** Revision → the proxy's image, where the release injects one. */
export function proxyImagesOf(releaseFor: ReleaseFor, revisions: readonly string[]): Readonly<Record<string, string>> {
  const pairs = revisions.flatMap((revision) => {
    const release = releaseFor(revision);
    const image = release === undefined ? undefined : injectedProxyImage(release);
    return image === undefined ? [] : [[revision, image] as const];
  });
  return Object.fromEntries(pairs);
}

const PLAIN: Pod = {
  metadata: { name: "check", labels: { [labelKeys.inject]: "true" } },
  spec: { containers: [{ name: "app", image: "app" }] },
};

/** The image of the proxy that a release injects into a plain pod: `istio/proxyv2:1.31.2`; undefined where it injects none. */
export function injectedProxyImage(release: Release): string | undefined {
  const result = injectPod(loadRelease(release), { pod: PLAIN, namespace: "default", parameters: {} });
  if (!result.injected) return undefined;
  return textOf(containersOf(result.pod.spec).find(({ name }) => name === containerNames.proxy)?.["image"]);
}
