import { OutriggerError } from "@outrigger/base";
import type { Injector, Release } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { SNAPSHOT_FORMAT, type Snapshot } from "../snapshot/snapshot.ts";
import { channelReleases } from "./channel-releases.ts";

const INJECTOR = {} as Injector;
const RELEASE = { format: 1 } as Release;

function snapshotWith(releases: Snapshot["releases"]): Snapshot {
  return { format: SNAPSHOT_FORMAT, seq: 1, channels: { stable: "s1" }, clusters: {}, releases, pins: [], change: 0 };
}

describe("channelReleases()", () => {
  it("serves a release that an earlier snapshot named and did not hold, once it is there", () => {
    const problems: OutriggerError[] = [];
    const bundled = () => ({ digest: "bundled", injector: INJECTOR });
    const releases = channelReleases({ bundled, load: () => INJECTOR, report: (error) => void problems.push(error) });
    releases.adopt(snapshotWith({}));
    expect(releases.find("stable")).toMatchObject({ digest: "bundled", problem: { code: "store-corrupt" } });
    releases.adopt(snapshotWith({}));
    expect(releases.find("stable")).toMatchObject({ digest: "bundled" });
    expect(problems).toHaveLength(1);
    releases.adopt(snapshotWith({ s1: RELEASE }));
    expect(releases.find("stable")).toEqual({ digest: "s1", injector: INJECTOR, isBundled: false });
  });

  it("throws for a channel that no snapshot names", () => {
    const releases = channelReleases({ bundled: undefined, load: () => INJECTOR, report: () => {} });
    expect(() => releases.find("canary")).toThrow(OutriggerError);
  });
});
