import type { OutriggerError } from "@outrigger/base";
import { expect, it } from "vitest";
import type { SelectedCluster } from "./select-clusters.ts";
import { withRings } from "./with-rings.ts";

const follows = (channel: string) => ({ follows: { channel, after: 60, pods: 10, alarms: [] } });

it("withRings() puts a cluster in the last ring of its channels, and one that cannot be read behind all", () => {
  const channels = { canary: {}, early: follows("canary"), stable: follows("early") };
  const served = (name: string, ...serving: readonly string[]): SelectedCluster => {
    const revisions = Object.fromEntries(serving.map((channel) => [channel, channel]));
    return { name, place: {}, record: { arn: "", tokens: [], revisions } };
  };
  const unread: SelectedCluster = { name: "damaged", place: {}, unreadable: {} as OutriggerError };
  const clusters = [unread, served("a", "stable"), served("b", "canary"), served("c", "early", "canary"), served("d")];
  expect(withRings(clusters, channels)).toEqual(
    [Number.MAX_SAFE_INTEGER, 2, 0, 1, 0].map((ring, index) => ({ ...clusters[index], ring })),
  );
});
