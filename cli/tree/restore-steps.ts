// What a restoration asks of the publisher for what is lost, in which order, and what it can only report.
import type { ActionRequest } from "../releases/action-request.ts";
import type { RestorePlan } from "./plan-restore.ts";

export interface RestoreStep {
  /** As it is printed: `channels/stable: back to release 1f2e…`. */
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
 * What stays lost, and who has it.
 *
 * @param found the tree that is put back, with the entries that it lacks
 */
export function restoreWarnings(
  { isBlind, hasChannels, hasClusters }: RestorePlan,
  found: { readonly lost: readonly string[] } | undefined,
): readonly string[] {
  const lost = found?.lost ?? [];
  return [
    ...(lost.length === 0
      ? []
      : [`Cannot be put back from a release: ${lost.join(", ")}; take them from where you keep them, and push`]),
    ...(isBlind && !hasChannels && found === undefined
      ? [
          "Nothing is served, and there are no channels to serve: name the directory of the source tree, or publish the tree in Parameter Store (outrigger publish)",
        ]
      : []),
    ...(isBlind && !hasClusters
      ? ["Nothing is served, so the clusters are unknown: register each again (outrigger register --cluster NAME)"]
      : []),
  ];
}
