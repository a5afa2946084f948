// What of a damaged deployment can be put back, and from what: the tree from a directory or a release; releases, channels and
// clusters from what is still being served; what that asks of the publisher, in which order, and what can only be reported.
import { OutriggerError, ownError } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import { readRecords, readRelease, readServed } from "@outrigger/publisher";
import type { ClusterRecord } from "@outrigger/serving";
import type { Deployment } from "../connect/deployment.ts";
import type { ActionRequest } from "../releases/action-request.ts";

type RestorePlan = Awaited<ReturnType<typeof planRestore>>;

/** Compares what is served with the records that it should come from. Nothing is written. */
export async function planRestore({ store, target }: Deployment) {
  const access = { store, layout: target.layout };
  const { snapshot } = await readServed(access);
  const { channels, clusters, unreadable } = await readRecords(access);
  const missing = (served: object, records: object, damaged: readonly string[]) =>
    Object.keys(served).filter((name) => !Object.hasOwn(records, name) || damaged.includes(name));
  const lost = missing(snapshot?.channels ?? {}, channels, unreadable.channels);
  // Those that are served, and of which nothing whole is kept.
  const releases: string[] = [];
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
    // Nothing is served from which clusters and channels could be recovered.
    isBlind: snapshot === undefined,
    // Whether there are records of them, readable or not.
    hasChannels: Object.keys(channels).length + unreadable.channels.length > 0,
    hasClusters: Object.keys(clusters).length + unreadable.clusters.length > 0,
  };
}

async function isKept(release: string, { store, layout }: Parameters<typeof readServed>[0]): Promise<boolean> {
  try {
    await readRelease({ store, layout }, release);
    return true;
  } catch (error) {
    if (/^(store-unavailable|aws-)/.test(ownError(error).code)) throw error;
    return false;
  }
}

/** The tree, unless there is another one in its place already. */
export function requireEmpty(there: SourceTree, tree: SourceTree, source: string): void {
  const paths = Object.keys(there);
  if (paths.every((path) => there[path] === tree[path])) return;
  const message = `Cannot restore ${source}: it is not empty (${paths.slice(0, 5).join(", ")}${paths.length > 5 ? ", …" : ""}); push instead, or overwrite it with --force`;
  throw new OutriggerError("tree-changed", message, { path: source });
}

export interface RestoreStep {
  /** A step as it is printed: `channels/stable: back to release 1f2e…`. */
  readonly what: string;
  readonly requests: readonly ActionRequest[];
}

/** Releases before the channels that serve them, and these before their clusters. A tree that is put back is published last. */
export function restoreSteps({ releases, channels, clusters }: RestorePlan, hasTree: boolean): readonly RestoreStep[] {
  return [
    // The repair that such a restoration begins with has done it.
    ...releases.map((release) => ({ what: `releases/${release}: rebuilt from what is served`, requests: [] })),
    ...channels.map(
      ({ channel, release, isPinned }): RestoreStep => ({
        what: `channels/${channel}: back to release ${release}${isPinned ? ", pinned" : ""}`,
        requests: [{ action: "pin", channel, release }, ...(isPinned ? [] : [{ action: "unpin", channel } as const])],
      }),
    ),
    ...clusters.map(({ cluster, record }): RestoreStep => {
      const tokens = record.tokens.length === 1 ? "its token" : `its ${record.tokens.length} tokens`;
      return {
        what: `clusters/${cluster}: as it is served, with ${tokens}`,
        requests: [{ action: "put-cluster", cluster, record }],
      };
    }),
    ...(hasTree ? [{ what: "serve/: published", requests: [{ action: "publish" } as const] }] : []),
  ];
}

/**
 * Returns warnings about what stays lost, and who has it.
 *
 * @param found the tree that is put back, with the entries that it lacks
 */
export function restoreWarnings(
  { isBlind, hasChannels, hasClusters }: RestorePlan,
  found: { readonly lost: readonly string[] } | undefined,
): readonly string[] {
  const lost = found?.lost ?? [];
  const warnings = [];
  if (lost.length > 0) {
    warnings.push(
      `Cannot be put back from a release: ${lost.join(", ")}; take them from where you keep them, and push`,
    );
  }
  if (isBlind && !hasChannels && found === undefined) {
    warnings.push(
      "Nothing is served, and there are no channels to serve: name the directory of the source tree, or publish the tree in Parameter Store (outrigger publish)",
    );
  }
  if (isBlind && !hasClusters) {
    warnings.push(
      "Nothing is served, so the clusters are unknown: register each again (outrigger register --cluster NAME)",
    );
  }
  return warnings;
}
