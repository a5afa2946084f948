// What the served releases would do with a cluster's pods: samples to try, the proxy's image, and whose sidecar is older.
import { DEFAULT_REVISION, defined, type JsonObject, OutriggerError } from "@outrigger/base";
import type { Release, SourceTree } from "@outrigger/injector";
import { decide, loadRelease, samplePods } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { readSourceParameters } from "@outrigger/publisher";
import type { ClusterRecord } from "@outrigger/serving";
import { clusterSettings } from "@outrigger/serving";
import type { InstalledWebhook } from "../objects/installed-webhooks.ts";
import { injectedProxyImage } from "../status/injected-proxy-image.ts";
import { injectedRevision } from "../status/injected-revision.ts";
import { type Injection, sidecarAge } from "../status/sidecar-age.ts";
import type { CheckPorts } from "./check-ports.ts";
import type { SampleToTry } from "./dry-runs.ts";
import type { Outdated } from "./facts.ts";
import type { Fact } from "./finding.ts";

/** The release that serves a revision, where one does. */
export type ReleaseFor = (revision: string) => Release | undefined;

/** Revision → with what its pods are injected. */
export function injectionsOf(
  installed: readonly InstalledWebhook[],
  record: ClusterRecord | undefined,
  releaseFor: ReleaseFor,
): ReadonlyMap<string, Injection> {
  const own = installed.filter(({ tag }) => tag === undefined);
  return new Map(
    own.flatMap(({ revision, settings }) => {
      const release = releaseFor(revision);
      if (release === undefined) return [];
      const isDefault = revision === DEFAULT_REVISION;
      const parameters = defined({ ISTIO_META_CLUSTER_ID: settings?.clusterId, ISTIO_META_NETWORK: settings?.network });
      const ofRecord = record === undefined ? {} : clusterSettings(record);
      return [
        [
          revision,
          { injector: loadRelease(release), settings: { ...ofRecord, ...(isDefault ? {} : { revision }) }, parameters },
        ] as const,
      ];
    }),
  );
}

/** Compares injected pods as they are read: one of each owner, because the others are like it. */
export function outdatedPods(
  injections: Fact<ReadonlyMap<string, Injection>>,
  found: (outdated: Outdated) => void,
): (pod: JsonObject) => void {
  const seen = new Set<unknown>();
  return (object) => {
    const { metadata } = object as Pod;
    const owner = metadata?.ownerReferences?.[0]?.uid ?? metadata?.uid;
    if (!injections.known || (owner !== undefined && seen.has(owner))) return;
    seen.add(owner);
    const injection = injections.value.get(injectedRevision(object as Pod)) ?? injections.value.get(DEFAULT_REVISION);
    const age = injection === undefined ? undefined : sidecarAge(object, injection);
    if (age === undefined || age.kind === "current") return;
    const pod = `${metadata?.namespace}/${metadata?.name}`;
    found({ pod, kind: age.kind, image: age.image, current: age.currentImage });
  };
}

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
