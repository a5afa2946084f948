// The channels and clusters of a deployment, as the page asks for them.

import { defined } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import type { RolloutState, RunningState } from "@outrigger/studio";
import type { Deployment } from "../connect/deployment.ts";
import { findReference, readChannel } from "../options/reference.ts";
import { readChannels } from "../releases/read-records.ts";
import { rolloutEvidence } from "../releases/rollout-evidence.ts";
import type { Io } from "../terminal/io.ts";
import { moves } from "./moves.ts";
import { type Channels, readReleasesState, readWholeHistory } from "./releases-state.ts";

/** Counts the pods of a cluster, each by the channel that serves its release. */
export type CountRunning = (channels: Channels) => Promise<RunningState>;

export type StudioReleases = ReturnType<typeof releasesOf>;

/** What the page asks of the channels: wire.ts says what is answered. */
export function releasesOf(
  deployment: Deployment,
  shipped: () => Promise<SourceTree>,
  io: Io,
  running: CountRunning | undefined,
) {
  return {
    ...(running && { running: async () => running(await readChannels(deployment, io)) }),
    async rollout(channel: string): Promise<RolloutState> {
      const record = await readChannel(deployment, channel);
      const { verdict, signals = [], counts } = await rolloutEvidence(deployment, record, io.env);
      return { ...defined({ verdict }), signals, counts: Object.fromEntries(counts) };
    },
    /** Older moves than the channel's record has, too. */
    history: (channel: string) => readWholeHistory(deployment, channel),
    read: () => readReleasesState(deployment, shipped, io),
    /** The release that a channel serves, or a release, as it is stored; or the one that `source` makes. */
    release: async (name: string) => (await findReference(name, async () => deployment, io)).release,
    ...moves(deployment, shipped, io),
  };
}
