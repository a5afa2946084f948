// The reading of what a deployment serves now, for commands that compare a cluster with it.
import type { Release } from "@outrigger/injector";
import { readSnapshot } from "@outrigger/serving";
import type { Deployment } from "../connect/deployment.ts";

/** The release that a channel serves, or undefined for a channel that serves none. */
export async function readServed({ store, target }: Deployment): Promise<(channel: string) => Release | undefined> {
  const reading = await readSnapshot(store, target.layout, undefined);
  if (reading.kind !== "snapshot") return () => undefined;
  const { channels, releases } = reading.snapshot;
  return (channel) => {
    const digest = Object.hasOwn(channels, channel) ? channels[channel] : undefined;
    return digest !== undefined && Object.hasOwn(releases, digest) ? releases[digest] : undefined;
  };
}
