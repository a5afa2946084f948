// Puts together what serves from Parameter Store: the snapshot, its releases, and who is served what. Entry points differ only
// in the reader that they pass.

import { layoutOf } from "@outrigger/aws";
import { injectPod, loadRelease, rememberInjections } from "@outrigger/injector";
import { type SnapshotCache, type SnapshotCacheOptions, snapshotCache } from "../snapshot/snapshot-cache.ts";
import { channelReleases, type LoadedRelease } from "./channel-releases.ts";
import { clusterService } from "./cluster-service.ts";
import type { FindService } from "./service.ts";

export interface ServeStoreOptions extends Omit<SnapshotCacheOptions, "layout" | "insistent"> {
  /** `/outrigger/<stage>`. */
  readonly prefix: string;
  /** What is served while the store has never answered; undefined where nothing may be. Called when needed, the same each time. */
  readonly bundled: (() => LoadedRelease) | undefined;
}

export interface StoreService {
  readonly find: FindService;
  readonly live: SnapshotCache;
}

/** Nothing is read yet: `live.start()` begins it. */
export function serveStore({ prefix, bundled, ...options }: ServeStoreOptions): StoreService {
  const live = snapshotCache({ ...options, layout: layoutOf(prefix), insistent: bundled === undefined });
  const releases = channelReleases({ bundled, load: loadRelease, report: options.report });
  const inject = rememberInjections(injectPod);
  return { find: clusterService({ live, releases, bundled, inject }), live };
}
