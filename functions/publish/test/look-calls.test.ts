// What a look of the schedule reads where nothing has changed: the same for one cluster and for a thousand. And that nothing is missed.
import type {
  CloudWatchClient,
  DescribeAlarmsInput,
  GetMetricDataInput,
  MetricDataResult,
} from "@aws-sdk/client-cloudwatch";
import { OutriggerError } from "@outrigger/base";
import { alarmStates, deploymentMetrics } from "@outrigger/cluster";
import type { PublisherDependencies } from "@outrigger/publisher";
import { describe, expect, it } from "vitest";
import { packFast } from "../../../test/support/pack-quickly.ts";
import { layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { publishHandler } from "../handler.ts";

type Setup = ReturnType<typeof publisherSetup>;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LOOKS = { "every minute": "reconcile-rollouts", "every five minutes": "reconcile" } as const;
const CLUSTER = { revisions: { default: "stable" }, arn: "", tokens: [] };

async function look(setup: Setup, action: string, own: Partial<PublisherDependencies> = {}): Promise<string> {
  const lines: string[] = [];
  const handler = publishHandler({
    ...setup.dependencies,
    ...own,
    stage: "dev",
    version: "1.2.3",
    stackId: "",
    stackStatus: async () => "UPDATE_IN_PROGRESS",
    write: (line) => void lines.push(line),
    sleep: async () => {},
    respond: async () => {},
    canaryToken: `${layout.prefix}/canary/token`,
    makeToken: () => "t".repeat(43),
    putSecret: async () => {},
  });
  await handler({ action });
  return lines.join("");
}

/** A deployment with so many clusters, at the beginning of an hour, in which all is settled and collected. */
async function settled(clusters: number, more: Pick<PublisherDependencies, "primary"> = {}): Promise<Setup> {
  const setup = publisherSetup({ seed: false, pack: packFast, tier: "Advanced", ...more });
  if (more.primary === undefined) {
    await setup.edit("mesh", "a");
    await setup.run({ action: "publish" });
    for (let number = 0; number < clusters; number++) {
      await setup.put(layout.cluster(`c${number}`), JSON.stringify({ ...CLUSTER, change: 1 }, null, 1));
    }
    await setup.run({ action: "put-cluster", cluster: "last", record: CLUSTER });
  }
  await hours(setup, more);
  return setup;
}

async function hours(setup: Setup, more: Partial<PublisherDependencies>): Promise<void> {
  for (let hour = 0; hour < 3; hour++) {
    setup.clock.time = Math.ceil((setup.clock.time + 1) / HOUR) * HOUR;
    for (let looks = 0; looks < 2; looks++) for (const action of Object.values(LOOKS)) await look(setup, action, more);
  }
}

async function callsOf(setup: Setup, action: string, own: Partial<PublisherDependencies> = {}) {
  setup.store.forgetCalls();
  const before = setup.bucket.objectCalls();
  await look(setup, action, own);
  const { PutParameter = 0, ...reads } = setup.store.calls();
  const { PutObject = 0, ...after } = setup.bucket.objectCalls();
  expect([PutParameter, PutObject]).toEqual([0, before.PutObject ?? 0]);
  const { PutObject: _, ...others } = before;
  return { parameters: sumOf(reads), objects: sumOf(after) - sumOf(others) };
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

const RINGS = [1, 2, 3, 4, 5].map((number) => `ring-${number}`);

/** The five rings follow stable, whose next release is due. */
async function followStable(setup: Setup): Promise<void> {
  await promoteTo(setup, RINGS);
  for (const ring of RINGS) await follow(setup, ring, "stable", ["errors"]);
  await publish(setup, "next");
}

/** A chain: what each ring serves is due in the ring behind it. */
async function followEachOther(setup: Setup): Promise<void> {
  await promoteTo(setup, RINGS);
  for (let ahead = RINGS.length; ahead > 0; ahead--) {
    await publish(setup, `${ahead} ahead`);
    await promoteTo(setup, RINGS.slice(0, ahead - 1));
  }
  for (const [at, ring] of RINGS.entries()) await follow(setup, ring, RINGS[at - 1] ?? "stable", [`errors-of-${ring}`]);
}

/** Each ring serves a share of another release, and does not continue. */
async function rollOut(setup: Setup, own: Partial<PublisherDependencies>): Promise<void> {
  await promoteTo(setup, RINGS);
  for (const ring of RINGS) {
    await publish(setup, ring);
    const rollout = { next: [100], bake: 60, alarms: [`errors-of-${ring}`] };
    expect(await setup.run({ action: "promote", from: "stable", to: ring, share: 5, rollout }, own)).toMatchObject({
      ok: true,
    });
  }
}

async function promoteTo(setup: Setup, rings: readonly string[]): Promise<void> {
  for (const to of rings)
    expect(await setup.run({ action: "promote", from: "stable", to })).toMatchObject({ ok: true });
}

async function publish(setup: Setup, text: string): Promise<void> {
  await setup.edit("mesh", text);
  expect(await setup.run({ action: "publish" })).toMatchObject({ ok: true });
}

async function follow(setup: Setup, channel: string, leader: string, alarms: readonly string[]): Promise<void> {
  const settings = { channel: leader, after: 60, pods: 10, alarms };
  expect(await setup.run({ action: "set-channel", channel, follow: settings })).toMatchObject({ changed: true });
}

/** CloudWatch: its answer about alarms and about a metric by its name, and the calls that it got. */
function watched(StateValue: string, answer: (metric: string | undefined) => Partial<MetricDataResult>) {
  const calls: string[] = [];
  const send = async (command: { readonly input: DescribeAlarmsInput & Partial<GetMetricDataInput> }) => {
    calls.push(command.constructor.name);
    const { AlarmNames = [], MetricDataQueries = [] } = command.input;
    return {
      MetricAlarms: AlarmNames.map((AlarmName) => ({ AlarmName, StateValue })),
      MetricDataResults: MetricDataQueries.map(({ Id, MetricStat }) => ({
        Id,
        ...answer(MetricStat?.Metric?.MetricName),
      })),
    };
  };
  const client = { send } as unknown as CloudWatchClient;
  const { countReleases } = deploymentMetrics(client, "dev", "eu-west-1");
  const own: Partial<PublisherDependencies> = {
    alarmStates: alarmStates(() => client),
    countReleases: (question) => countReleases({ ...question, now: question.since + HOUR }),
  };
  return { own, calls };
}

/** No alarm has data, and nothing is counted: what is due is held. */
function nothingSeen() {
  return watched("INSUFFICIENT_DATA", () => ({ StatusCode: "Complete" }));
}

describe("a look with nothing changed", () => {
  it("makes the same calls for 1, 100 and 1,000 clusters", async () => {
    const counts: Record<string, unknown>[] = [];
    for (const clusters of [1, 100, 1000]) {
      const setup = await settled(clusters);
      expect(Object.keys((await setup.served()).clusters)).toHaveLength(clusters + 1);
      const minute = await callsOf(setup, "reconcile-rollouts");
      const collecting = await callsOf(setup, "reconcile");
      setup.clock.time += 10 * MINUTE;
      counts.push({ minute, collecting, five: await callsOf(setup, "reconcile") });
    }
    expect(counts[1]).toEqual(counts[0]);
    expect(counts[2]).toEqual(counts[0]);
    expect(counts[0]).toEqual({
      minute: { parameters: 3, objects: 2 },
      collecting: { parameters: 7, objects: 4 },
      five: { parameters: 5, objects: 3 },
    });
  });

  it("makes no call more for five rings that serve what they follow", async () => {
    const setup = await settled(300);
    const without = await callsOf(setup, LOOKS["every minute"]);
    await promoteTo(setup, RINGS);
    for (const ring of RINGS) await follow(setup, ring, "stable", ["errors"]);
    const { own, calls } = nothingSeen();
    await hours(setup, own);
    expect(await callsOf(setup, LOOKS["every minute"], own)).toEqual(without);
    expect(calls).toEqual([]);
  });

  it.each([
    ["of which each has the same release that is due and held", 2, followStable],
    ["of which each has another release that is due and held", 10, followEachOther],
    ["of which each has a rollout that does not continue", 10, rollOut],
  ])("makes few calls of CloudWatch more for five rings, %s: %i", async (_what, most, begin) => {
    const setup = await settled(300);
    const without = await callsOf(setup, LOOKS["every minute"]);
    const { own, calls } = nothingSeen();
    await begin(setup, own);
    await hours(setup, own);
    calls.length = 0;
    expect(await callsOf(setup, LOOKS["every minute"], own)).toEqual(without);
    expect(calls).toHaveLength(most);
    const log = await look(setup, LOOKS["every minute"], own);
    for (const ring of RINGS) expect(log).toContain(`The rollout of ${ring} is stuck: alarm `);
  });

  it("of a replica makes the same calls for 1 and 100 clusters", async () => {
    const counts: Record<string, unknown>[] = [];
    for (const clusters of [1, 100]) {
      const there = await settled(clusters);
      const primary = { store: there.store, layout, name: "eu-west-1" };
      const setup = await settled(0, { primary });
      expect(Object.keys((await setup.served()).clusters)).toHaveLength(clusters + 1);
      there.store.forgetCalls();
      const own = await callsOf(setup, "reconcile", { primary });
      const { GetParameters = 0, ...others } = there.store.calls();
      expect(others).toEqual({});
      counts.push({ own, there: GetParameters });
    }
    expect(counts[1]).toEqual(counts[0]);
    expect(counts[0]).toEqual({ own: { parameters: 1, objects: 0 }, there: 1 });
  });
});

describe("a look", () => {
  it.each(Object.entries(LOOKS))("%s reads all where something has changed since", async (_when, action) => {
    const setup = await settled(1);
    await setup.run({ action: "put-cluster", cluster: "c0", record: { ...CLUSTER, network: "n" } });
    await setup.store.deleteParameters([layout.head]);
    setup.clock.time += MINUTE;
    expect(await look(setup, action)).toContain("derived again");
    expect((await setup.served()).clusters["c0"]).toMatchObject({ network: "n" });
  });

  it("finds what was done by hand to a channel's record at once, and to a cluster's within a day", async () => {
    const setup = await settled(1);
    await setup.put(layout.cluster("c0"), "nonsense");
    expect(await look(setup, LOOKS["every minute"])).not.toContain("nonsense");
    setup.clock.time += 24 * HOUR;
    for (const _ of [1, 2]) expect(await look(setup, LOOKS["every minute"])).toContain(layout.cluster("c0"));
    await setup.put(layout.cluster("c0"), JSON.stringify(CLUSTER, null, 1));
    expect(await look(setup, LOOKS["every minute"])).not.toContain(layout.cluster("c0"));
    await setup.put(layout.channel("new"), "nonsense");
    expect(await look(setup, LOOKS["every minute"])).toContain(layout.channel("new"));
    await setup.store.deleteParameters([layout.channel("new")]);
    await setup.put(layout.channel("stable"), "nonsense");
    expect(await look(setup, LOOKS["every minute"])).toContain(layout.channel("stable"));
  });

  it("continues where what it has found cannot be written down", async () => {
    const setup = await settled(1);
    await setup.store.deleteParameters([layout.settled]);
    const putParameter = () => Promise.reject(new OutriggerError("store-denied", "Cannot write"));
    const store = { ...setup.store, putParameter };
    expect(await look(setup, LOOKS["every minute"], { store })).toContain('"Unsettled":0');
  });

  it.each(["InternalError", "PartialData", "Forbidden", undefined] as const)(
    "moves no ring on while CloudWatch says %s of the failures of its release, and moves it on when it has them",
    async (failures) => {
      const setup = await settled(1);
      await followStable(setup);
      const counted = (StatusCode: MetricDataResult["StatusCode"]) => (metric: string | undefined) => ({
        Timestamps: [new Date(setup.clock.time)],
        Values: [metric === "Injected" ? 100 : 0],
        StatusCode: metric === "Failed" ? StatusCode : ("Complete" as const),
      });
      await hours(setup, watched("OK", counted(failures)).own);
      const first = (await setup.served()).channels["ring-1"];
      expect(await look(setup, LOOKS["every minute"], watched("OK", counted(failures)).own)).toContain(
        "Cannot count calls: CloudWatch's answer about the metric Failed is not complete",
      );
      await look(setup, LOOKS["every minute"], watched("OK", counted("Complete")).own);
      const { channels } = await setup.served();
      expect(channels["ring-1"]).not.toBe(first);
      expect(RINGS.map((ring) => channels[ring])).toEqual(RINGS.map(() => channels["stable"]));
    },
  );
});
