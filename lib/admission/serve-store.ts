// Puts together what serves from Parameter Store: the image, its releases, and who is served what. The doors differ only
// in the reader that they bring.
import { injectPod } from "../inject/inject-pod.ts";
import { loadRelease } from "../release/load-release.ts";
import { channelReleases, type LoadedRelease } from "../store/channel-releases.ts";
import { layoutOf } from "../store/layout.ts";
import { type LiveImage, type LiveImageOptions, liveImage } from "../store/live-image.ts";
import { liveService } from "./live-service.ts";
import type { FindService } from "./service.ts";

export interface ServeStoreOptions extends Omit<LiveImageOptions, "layout" | "insistent"> {
  /** `/outrigger/<stage>`. */
  readonly prefix: string;
  /** What is served while the store has never answered; undefined where nothing may be. Called when needed, the same each time. */
  readonly bundled: (() => LoadedRelease) | undefined;
}

export interface StoreService {
  readonly find: FindService;
  readonly live: LiveImage;
}

/** Nothing is read yet: `live.start()` begins it. */
export function serveStore({ prefix, bundled, ...options }: ServeStoreOptions): StoreService {
  const live = liveImage({ ...options, layout: layoutOf(prefix), insistent: bundled === undefined });
  const releases = channelReleases({ bundled, load: loadRelease, report: options.report });
  return { find: liveService({ live, releases, bundled, inject: injectPod }), live };
}
