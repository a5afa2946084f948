// What the served releases would do with a cluster's pods: samples to try, and the proxy's image.
import { OutriggerError } from "@outrigger/base";
import type { Release, SourceTree } from "@outrigger/injector";
import { decide, samplePods } from "@outrigger/injector";
import { readSourceParameters } from "@outrigger/publisher";
import { injectedProxyImage } from "../status/injected-proxy-image.ts";
import type { CheckPorts } from "./check-ports.ts";
import type { SampleToTry } from "./dry-runs.ts";

/** The release that serves a revision, where one does. */
export type ReleaseFor = (revision: string) => Release | undefined;

/** The shipped tree and the source, where that can be read. */
export async function layersOf({
  store,
  layout,
  shippedTree,
}: Pick<CheckPorts, "store" | "layout" | "shippedTree">): Promise<readonly SourceTree[]> {
  const own = await readSourceParameters(store, layout).catch((error: unknown) => {
    if (error instanceof OutriggerError) return { tree: {} };
    throw error;
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
