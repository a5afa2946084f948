// Puts together what serves from Parameter Store: the image, its releases, and who is served what. The doors differ only
// in the reader that they bring.
import { injectPod } from "../inject/inject-pod.ts";
import { loadRelease } from "../release/load-release.ts";
import type { Release } from "../release/release.ts";
import { channelReleases, type LoadedRelease } from "../store/channel-releases.ts";
import { layoutOf } from "../store/layout.ts";
import { type LiveImage, type LiveImageOptions, liveImage } from "../store/live-image.ts";
import { liveService } from "./live-service.ts";
import type { FindService } from "./service.ts";

export interface ServeStoreOptions extends Omit<LiveImageOptions, "layout" | "insistent"> {
  /** `/outrigger/<stage>`. */
  readonly prefix: string;
  /** What is served while the store has never answered; undefined where nothing may be. Read when it is needed. */
  readonly bundled: { readonly digest: string; readonly read: () => Release } | undefined;
}

export interface StoreService {
  readonly find: FindService;
  readonly live: LiveImage;
}

/** Nothing is read yet: `live.start()` begins it. */
export function serveStore({ prefix, bundled, ...options }: ServeStoreOptions): StoreService {
  const live = liveImage({ ...options, layout: layoutOf(prefix), insistent: bundled === undefined });
  let loaded: LoadedRelease | undefined;
  const loadBundled =
    ({ digest, read }: NonNullable<typeof bundled>) =>
    () => {
      loaded ??= { digest, injector: loadRelease(read()) };
      return loaded;
    };
  const fallback = bundled === undefined ? undefined : loadBundled(bundled);
  const releases = channelReleases({ bundled: fallback, load: loadRelease, report: options.report });
  return { find: liveService({ live, releases, bundled: fallback, inject: injectPod }), live };
}
