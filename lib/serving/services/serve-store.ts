// Puts together what serves from Parameter Store: the snapshot, its releases, and who is served what. Entry points differ only
// in the reader that they pass.

import { layoutOf } from "@outrigger/aws";
import { type Guardrails, guardedInjection, parseGuardrails } from "@outrigger/guardrails";
import { loadRelease, rememberInjections } from "@outrigger/injector";
import { type Clock, systemClock } from "../snapshot/clock.ts";
import { type SnapshotCacheOptions, snapshotCache } from "../snapshot/snapshot-cache.ts";
import { channelReleases, type LoadedRelease } from "./channel-releases.ts";
import { clusterService } from "./cluster-service.ts";

export interface ServeStoreOptions extends Omit<SnapshotCacheOptions, "layout" | "insistent" | "clock" | "random"> {
  /** `/outrigger/<stage>`. */
  readonly prefix: string;
  /** What is served while the store has never answered; undefined where nothing may be. Called when needed, the same each time. */
  readonly bundled: (() => LoadedRelease) | undefined;
  /** What an injection may add to a pod; anything where it is left out. */
  readonly guardrails?: Guardrails;
  /** The clock of this machine where it is left out. */
  readonly clock?: Clock;
  /** Math.random where it is left out. */
  readonly random?: () => number;
}

/** Who is served what, by the snapshot below a prefix. Nothing is read yet: `live.start()` begins it. */
export function serveStore({
  prefix,
  bundled,
  guardrails = NO_GUARDRAILS,
  clock = systemClock,
  random = Math.random,
  ...options
}: ServeStoreOptions) {
  const layout = layoutOf(prefix);
  const live = snapshotCache({ ...options, clock, random, layout, insistent: bundled === undefined });
  const releases = channelReleases({ bundled, load: loadRelease, report: options.report });
  const inject = rememberInjections(guardedInjection(guardrails));
  return { find: clusterService({ live, releases, bundled, inject }), live };
}

const NO_GUARDRAILS = parseGuardrails("");
