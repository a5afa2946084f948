// What the served releases would do with a cluster's pods: samples to try, the proxy's image, and whose sidecar is older.

import { defined, type JsonObject, OutriggerError, objectOf, textOf } from "@outrigger/base";
import type { Fact, InstalledWebhook, Outdated, SampleToTry } from "@outrigger/cluster";
import { type Injection, sidecarAge } from "@outrigger/cluster";
import type { Release } from "@outrigger/injector";
import {
  annotationKeys,
  containerNames,
  decide,
  injectPod,
  labelKeys,
  loadRelease,
  samplePods,
} from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { readSourceParameters } from "@outrigger/publisher";
import type { ClusterRecord } from "@outrigger/serving";
import { clusterSettings } from "@outrigger/serving";
import { DEFAULT_REVISION } from "@outrigger/webhook";
import type { Deployment } from "../connect/deployment.ts";
import type { Io } from "../terminal/io.ts";
import { shippedTree } from "../tree/read-trees.ts";

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
    const injection = injections.value.get(revisionOf(object as Pod)) ?? injections.value.get(DEFAULT_REVISION);
    const age = injection === undefined ? undefined : sidecarAge(object, injection);
    if (age === undefined || age.kind === "current") return;
    const pod = `${metadata?.namespace}/${metadata?.name}`;
    found({ pod, kind: age.kind, image: age.image, current: age.currentImage });
  };
}

/** Of the injection: its record says. */
export function revisionOf({ metadata }: Pod): string {
  try {
    const status: unknown = JSON.parse(metadata?.annotations?.[annotationKeys.status] ?? "{}");
    return textOf(objectOf(status)["revision"]) || DEFAULT_REVISION;
  } catch {
    return DEFAULT_REVISION;
  }
}

/** Samples of the shipped tree and of the source, where that can be read. */
export async function samplesOf(
  { store, target }: Deployment,
  release: Release | undefined,
  io: Io,
): Promise<readonly SampleToTry[]> {
  const own = await readSourceParameters(store, target.layout).catch((error: unknown) => {
    if (error instanceof OutriggerError) return { tree: {} };
    throw error;
  });
  return samplePods([await shippedTree(io), own.tree]).map(({ name, request: { pod } }) => ({
    name,
    pod,
    isInjected: (namespace, labels) =>
      release === undefined ||
      decide(release.config, { ...pod, metadata: { ...pod.metadata, labels } }, namespace).inject,
  }));
}

const PLAIN: Pod = {
  metadata: { name: "check", labels: { [labelKeys.inject]: "true" } },
  spec: { containers: [{ name: "app", image: "app" }] },
};

/** Revision → the proxy's image, where the release injects one. */
export function proxyImagesOf(releaseFor: ReleaseFor, revisions: readonly string[]): Readonly<Record<string, string>> {
  const pairs = revisions.flatMap((revision) => {
    const release = releaseFor(revision);
    if (release === undefined) return [];
    const result = injectPod(loadRelease(release), { pod: PLAIN, namespace: "default", parameters: {} });
    const { containers = [], initContainers = [] } = (result.injected ? result.pod.spec : undefined) ?? {};
    const image = [...containers, ...initContainers].find(({ name }) => name === containerNames.proxy)?.image;
    return image === undefined ? [] : [[revision, image] as const];
  });
  return Object.fromEntries(pairs);
}
