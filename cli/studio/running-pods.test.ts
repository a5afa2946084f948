import type { ChannelRecord } from "@outrigger/publisher";
import type { RunningReport } from "@outrigger/rollouts";
import { expect, it } from "vitest";
import { runningState } from "./running-pods.ts";

const NOW = new Date("2026-01-02T03:04:05Z");

it("runningState() counts pods by the release that made them, with the channel that serves it to all or to a share, and names the workloads that differ", () => {
  const about = { kind: "Deployment", namespace: "shop", newest: "2026-01-01T00:00:00Z" } as const;
  const change = { field: "containers[istio-proxy].image", running: "a", now: "b" };
  const report: RunningReport = {
    pods: 6,
    states: { outdated: 2, current: 3 },
    workloads: [
      {
        ...about,
        channel: "stable",
        name: "cart",
        pods: 3,
        states: { outdated: 2, current: 1 },
        releases: { "1f2e3d4c5b6a": 1, "77aa01c2be90": 1, "000000000003": 1 },
        example: { pod: "cart-1", verdict: { state: "outdated", changes: [change], inPlace: { why: "" } } },
      },
      { ...about, name: "web", pods: 2, states: { current: 2 }, releases: { "77aa01c2be90": 2 } },
    ],
    changes: [],
    injected: 6,
    uninjected: [],
    unlabelled: [],
  };
  const share = { release: "1f2e3d4c5b6a", percent: 5 };
  const stable = { release: "77aa01c2be90", share, pinned: false, history: [] } as ChannelRecord;
  expect(runningState({ name: "shop", restart: "outrigger restart --context shop" }, report, { stable }, NOW)).toEqual({
    cluster: "shop",
    at: "2026-01-02T03:04:05.000Z",
    pods: 6,
    releases: [
      { release: "1f2e3d4c5b6a", pods: 1, channel: "stable" },
      { release: "77aa01c2be90", pods: 3, channel: "stable" },
      { release: "000000000003", pods: 1 },
    ],
    // Those of a workload that would come out the same need no restart.
    replaced: { stable: { "1f2e3d4c5b6a": 1, "77aa01c2be90": 1, "000000000003": 1 } },
    states: { outdated: 2, current: 3 },
    restart: "outrigger restart --context shop",
    outdatedWorkloads: 1,
    outdated: [
      {
        namespace: "shop",
        name: "Deployment cart",
        pods: 3,
        state: "outdated",
        fields: ["containers[istio-proxy].image"],
      },
    ],
  });
});

it("runningState() names the channel that pods are served from, where several serve their release", () => {
  const serving = { release: "77aa01c2be90", pinned: false, history: [] } as unknown as ChannelRecord;
  const web = { kind: "Deployment", namespace: "shop", newest: "2026-01-01T00:00:00Z", name: "web", pods: 2 } as const;
  const workload = { ...web, channel: "stable", states: { current: 2 }, releases: { "77aa01c2be90": 2 } };
  const report = { pods: 2, states: { current: 2 }, workloads: [workload] } as unknown as RunningReport;
  const state = runningState({ name: "shop", restart: "" }, report, { canary: serving, stable: serving }, NOW);
  expect(state.releases).toEqual([{ release: "77aa01c2be90", pods: 2, channel: "stable" }]);
});
