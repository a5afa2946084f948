// What of a damaged deployment can be put back, and from what: the tree from a directory or a release; releases, channels and
// clusters from what is still being served.
import { OutriggerError } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import { readRecords, readRelease, readServed } from "@outrigger/publisher";
import type { ClusterRecord } from "@outrigger/serving";
import type { Deployment } from "../connect/deployment.ts";

export interface RestorePlan {
  /** Releases that are served, and of which nothing whole is kept. */
  readonly releases: readonly string[];
  /** Channel → the release that it served. */
  readonly channels: readonly { readonly channel: string; readonly release: string; readonly isPinned: boolean }[];
  readonly clusters: readonly { readonly cluster: string; readonly record: ClusterRecord }[];
  /** Nothing is served from which clusters and channels could be recovered. */
  readonly isBlind: boolean;
  /** Whether there are records of them, readable or not. */
  readonly hasChannels: boolean;
  readonly hasClusters: boolean;
}

/** Compares what is served with the records that it should come from. Nothing is written. */
export async function planRestore({ store, target }: Deployment): Promise<RestorePlan> {
  const access = { store, layout: target.layout };
  const { snapshot } = await readServed(access);
  const { channels, clusters, unreadable } = await readRecords(access);
  const missing = (served: object, records: object, damaged: readonly string[]) =>
    Object.keys(served).filter((name) => !Object.hasOwn(records, name) || damaged.includes(name));
  const lost = missing(snapshot?.channels ?? {}, channels, unreadable.channels);
  const releases = [];
  for (const release of Object.keys(snapshot?.releases ?? {})) {
    if (!(await isKept(release, access))) releases.push(release);
  }
  return {
    releases,
    channels: lost.map((channel) => ({
      channel,
      release: snapshot?.channels[channel] as string,
      isPinned: snapshot?.pins.includes(channel) ?? false,
    })),
    clusters: missing(snapshot?.clusters ?? {}, clusters, unreadable.clusters).map((cluster) => ({
      cluster,
      record: snapshot?.clusters[cluster] as ClusterRecord,
    })),
    isBlind: snapshot === undefined,
    hasChannels: Object.keys(channels).length + unreadable.channels.length > 0,
    hasClusters: Object.keys(clusters).length + unreadable.clusters.length > 0,
  };
}

async function isKept(release: string, { store, layout }: Parameters<typeof readServed>[0]): Promise<boolean> {
  try {
    await readRelease({ store, layout }, release);
    return true;
  } catch (error) {
    if (error instanceof OutriggerError && !/^(store-unavailable|aws-)/.test(error.code)) return false;
    throw error;
  }
}

/** The tree, unless there is another one in its place already. */
export function requireEmpty(there: SourceTree, tree: SourceTree, source: string): void {
  const paths = Object.keys(there);
  const isSame = paths.every((path) => there[path] === tree[path]);
  if (isSame) return;
  throw new OutriggerError(
    "tree-changed",
    `Cannot restore ${source}: it is not empty (${paths.slice(0, 5).join(", ")}${paths.length > 5 ? ", …" : ""}); push instead, or overwrite it with --force`,
    { path: source },
  );
}
