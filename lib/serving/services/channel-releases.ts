// Which injector serves a channel: its release, loaded when it is first asked for; where that cannot be loaded, the
// one that the channel had before, or the bundled one.
import { isOwnError, OutriggerError } from "@outrigger/base";
import type { Injector, Release } from "@outrigger/injector";
import type { Snapshot } from "../snapshot/snapshot.ts";

export interface LoadedRelease {
  readonly digest: string;
  readonly injector: Injector;
}

export interface ServedRelease extends LoadedRelease {
  readonly isBundled: boolean;
  /** The reason why this is not the channel's own release. */
  readonly problem?: OutriggerError;
}

export interface ChannelReleasesOptions {
  /**
   * Returns the release that replaces one that cannot be loaded. It is undefined if nothing may replace one. It is
   * called when needed, and returns the same release each time.
   */
  readonly bundled: (() => LoadedRelease) | undefined;
  readonly load: (release: Release) => Injector;
  readonly report: (error: OutriggerError) => void;
}

interface Entry {
  readonly digest: string;
  /** Whether the snapshot held the release that it named. A later snapshot may hold it. */
  readonly isThere: boolean;
  readonly serve: () => ServedRelease;
  /** Returns the entry to serve if the release after this one cannot be loaded. */
  readonly asEarlier: () => Entry | undefined;
}

export function channelReleases(options: ChannelReleasesOptions) {
  const bundled = options.bundled === undefined ? undefined : bundledEntry(options.bundled);
  let byChannel: ReadonlyMap<string, Entry> = new Map();
  return {
    /** Takes another snapshot. What is loaded stays so where the snapshot has it too. */
    adopt: ({ channels, releases }: Pick<Snapshot, "channels" | "releases">): void => {
      const byDigest = new Map([...byChannel.values()].map((entry) => [entry.digest, entry]));
      const entries = Object.entries(channels).map(([channel, digest]) => {
        const earlier = byChannel.get(channel)?.asEarlier() ?? bundled;
        const release = Object.hasOwn(releases, digest) ? releases[digest] : undefined;
        const known = byDigest.get(digest);
        const entry =
          known?.isThere || (known && release === undefined) ? known : releaseEntry(digest, release, earlier, options);
        byDigest.set(digest, entry);
        return [channel, entry] as const;
      });
      byChannel = new Map(entries);
    },
    /**
     * Returns the release that a channel serves. Throws `channel-unknown`, or the reason why the release cannot be
     * loaded if there is no other.
     */
    find: (channel: string): ServedRelease => {
      const entry = byChannel.get(channel);
      if (entry !== undefined) return entry.serve();
      const message = `Cannot serve channel "${channel}": it has no release; publish to it, or register the cluster on another`;
      throw new OutriggerError("channel-unknown", message, { path: channel });
    },
  };
}

function bundledEntry(load: () => LoadedRelease): Entry {
  const entry: Entry = {
    digest: "bundled",
    isThere: true,
    serve: () => ({ ...load(), isBundled: true }),
    asEarlier: () => entry,
  };
  return entry;
}

function releaseEntry(
  digest: string,
  release: Release | undefined,
  earlier: Entry | undefined,
  { load, report, bundled }: ChannelReleasesOptions,
): Entry {
  let instead = earlier;
  let injector: Injector | undefined;
  let problem: OutriggerError | undefined;
  const entry: Entry = {
    digest,
    isThere: release !== undefined,
    serve: () => {
      if (injector === undefined && problem === undefined) {
        try {
          if (release === undefined) throw missing(digest);
          injector = load(release);
          instead = undefined;
        } catch (cause) {
          const message = `Cannot load release ${digest}: it is not what this version writes; publish again with it`;
          const details = { path: digest, cause };
          problem = isOwnError(cause) ? cause : new OutriggerError("release-unsupported", message, details);
          report(problem);
        }
      }
      if (injector !== undefined) return { digest, injector, isBundled: false };
      if (instead === undefined) throw problem;
      return { ...instead.serve(), problem: problem as OutriggerError };
    },
    asEarlier: () => {
      if (problem !== undefined) return instead;
      // A release that was never requested must not keep a chain of earlier ones in memory.
      if (injector === undefined && bundled !== undefined) instead = bundledEntry(bundled);
      return entry;
    },
  };
  return entry;
}

function missing(digest: string): OutriggerError {
  const message = `Cannot serve release ${digest}: the snapshot does not hold it; publish again`;
  return new OutriggerError("store-corrupt", message, { path: digest });
}
