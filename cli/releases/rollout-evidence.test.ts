import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { type FakeAwsServices, startFakeAwsServices } from "../../test/eks/fake-aws-services.ts";
import type { Deployment } from "../connect/deployment.ts";
import { rolloutEvidence, shareSince } from "./rollout-evidence.ts";

type ChannelRecord = Parameters<typeof shareSince>[0];

const [OWN, NEW] = ["aaaaaaaaaaaa", "bbbbbbbbbbbb"] as const;
const at = (hour: number) => `2026-01-02T0${hour}:00:00Z`;
const move = (release: string, hour: number, more: object = {}) => ({
  ...{ release, action: "promote", at: at(hour), by: "ann", why: "" },
  ...more,
});
const share = { release: NEW, percent: 5 };
const record = (given: object): ChannelRecord =>
  ({ release: OWN, pinned: false, history: [], ...given }) as unknown as ChannelRecord;

describe("shareSince()", () => {
  const since = (given: object) => new Date(shareSince(record(given))).toISOString().slice(0, 19);

  it("is when the rollout's step began, where one is under way", () => {
    expect(since({ share, rollout: { since: at(5) }, history: [move(OWN, 3, { share })] })).toBe("2026-01-02T05:00:00");
  });

  it("is the first move that gave the share its release, however it has grown since", () => {
    const grown = { release: NEW, percent: 50 };
    const other = { release: "cccccccccccc", percent: 5 };
    const history = [
      move(OWN, 6, { share: grown }),
      move(OWN, 4, { share }),
      move(OWN, 2, { share: other }),
      move(OWN, 1),
    ];
    expect(since({ share: grown, history })).toBe("2026-01-02T04:00:00");
  });

  it("is the last move of a channel without a share, or whose share no move names any more", () => {
    const history = [move(OWN, 6), move(OWN, 4, { share })];
    expect(since({ history })).toBe("2026-01-02T06:00:00");
    expect(since({ share: { release: "cccccccccccc", percent: 5 }, history })).toBe("2026-01-02T06:00:00");
  });

  it("is the beginning of time for a channel that never moved", () => {
    expect(since({})).toBe("1970-01-01T00:00:00");
  });
});

describe("rolloutEvidence()", () => {
  let services: FakeAwsServices;
  let deployment: Deployment;
  beforeAll(async () => {
    services = await startFakeAwsServices();
    for (const [name, value] of Object.entries(services.env)) vi.stubEnv(name, value);
    const target = { stage: "dev", layout: fakeAws().layout, publisher: "outrigger-dev-publish" };
    deployment = { ...(await fakeAws().connect(target)), target };
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await services.close();
  });
  const evidence = (given: object, pods?: Parameters<typeof rolloutEvidence>[3]) =>
    rolloutEvidence(deployment, record({ history: [move(OWN, 3)], ...given }), services.env, pods);

  it("counts what the channel's release did, and asks for no alarm, where there is no share", async () => {
    services.releaseCounts.set(`${OWN} Injected`, 31);
    services.asked.length = 0;
    const { counts, alarms, verdict, since } = await evidence({});
    expect(counts).toEqual([[OWN, { injected: 31, denied: 0, failed: 0, regressed: 0, late: 0 }]]);
    expect([alarms, verdict, since]).toEqual([{}, undefined, Date.parse(at(3))]);
    expect(services.asked.map(({ action }) => action)).not.toContain("cloudwatch:DescribeAlarms");
  });

  it("counts the channel's release, then that of the share, and says what happens next", async () => {
    services.releaseCounts.set(`${OWN} Injected`, 31).set(`${NEW} Injected`, 7).set(`${NEW} Denied`, 2);
    services.alarms.set("outrigger-dev-errors", "OK");
    const rollout = { next: [100], bake: 1800, alarms: ["outrigger-dev-errors"], since: new Date().toISOString() };
    const { counts, alarms, verdict } = await evidence({ share, rollout });
    expect(counts.map(([release, { injected, denied }]) => [release, injected, denied])).toEqual([
      [OWN, 31, 0],
      [NEW, 7, 2],
    ]);
    expect(alarms).toEqual({ "outrigger-dev-errors": "OK" });
    expect(verdict).toMatchObject({ kind: "wait", isBaking: true });
    services.alarms.set("outrigger-dev-errors", "ALARM");
    expect((await evidence({ share, rollout })).verdict).toMatchObject({ kind: "abort" });
  });

  it("judges the share's release next to the channel's own, and not the other way round", async () => {
    services.releaseCounts.clear();
    services.releaseCounts.set(`${OWN} Injected`, 100).set(`${NEW} Injected`, 20).set(`${NEW} Regressed`, 9);
    const worse = (await evidence({ share })).signals?.filter(({ verdict }) => verdict === "worse");
    expect(worse?.map(({ name }) => name)).toContain("regressed");
    services.releaseCounts.clear();
    services.releaseCounts.set(`${NEW} Injected`, 100).set(`${OWN} Injected`, 20).set(`${OWN} Regressed`, 9);
    const well = (await evidence({ share })).signals?.filter(({ verdict }) => verdict === "worse");
    expect(well).toEqual([]);
  });

  it("judges the pods that were seen as well", async () => {
    const signal = { name: "restarts", verdict: "worse", why: "3 of 3 restart" } as const;
    const pods = { signals: [signal] } as unknown as Parameters<typeof rolloutEvidence>[3];
    expect((await evidence({ share }, pods)).signals).toContainEqual(signal);
    expect((await evidence({ share })).signals).not.toContainEqual(signal);
  });
});
