import type { RestartJournal } from "@outrigger/rollouts";
import { describe, expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { endOf, endText, planText, untilServed } from "./restart-workloads.ts";
import type { RunningCluster } from "./running-cluster.ts";

type Workload = Parameters<typeof planText>[0]["restart"][number];

/** A workload of two pods, whose pods can be changed in place in this way. */
const workload = (name: string, inPlace: object = { images: [], resources: [] }) =>
  ({
    namespace: "shop",
    kind: "Deployment",
    name,
    pods: 2,
    example: { pod: "a", verdict: { state: "outdated", changes: [], inPlace } },
  }) as unknown as Workload;

describe("planText()", () => {
  const left = [{ workload: "shop/Deployment/pay", why: "it is paused" }];

  it("lists what is restarted in its order, and what is left with the reason", () => {
    expect(planText({ restart: [workload("web"), workload("cart")], left }, {})).toBe(
      [
        "To restart, in this order: 2 workloads with 4 pods",
        "NAMESPACE   WORKLOAD          PODS",
        "shop        Deployment/web    2",
        "shop        Deployment/cart   2",
        "Left as they are:",
        "WORKLOAD              WHY",
        "shop/Deployment/pay   it is paused",
        "",
      ].join("\n"),
    );
  });

  it("says that there is nothing to do, and only of a restart why", () => {
    expect(planText({ restart: [], left: [] }, {})).toBe("Nothing to restart: new pods would be the same\n");
    expect(planText({ restart: [], left: [] }, { inPlace: [] })).toBe("Nothing to change in place\n");
  });

  it("names the share of a rollout with which each is restarted", () => {
    const text = planText({ restart: [workload("web"), workload("cart")], left: [] }, {}, ({ name }) =>
      name === "web" ? 5 : 100,
    );
    expect(text).toMatch(/PODS +SHARE\nshop +Deployment\/web +2 +5 %\nshop +Deployment\/cart +2 +100 %\n$/);
  });

  it("says of a change in place once what it interrupts", () => {
    const proxy = { name: "istio-proxy", caution: "traffic" };
    const restart = [
      workload("web", { images: [proxy, { name: "agent" }], resources: [{ name: "setup", caution: "ended" }] }),
      workload("cart", { images: [proxy], resources: [{ name: "app", caution: "application" }] }),
      workload("pay", { why: "its volumes differ" }),
    ];
    const said = (inPlace?: readonly string[]) =>
      planText({ restart, left: [] }, inPlace === undefined ? {} : { inPlace })
        .split("\n")
        .flatMap((line) => /^([\w-]+) (?:carries|has run|is the application)/.exec(line)?.[1] ?? []);
    expect(said([])).toEqual(["istio-proxy", "setup", "app"]);
    expect(said()).toEqual([]);
    expect(planText({ restart, left: [] }, { inPlace: [] })).toMatch(/^To change in place, in this order: 3 workloads/);
  });
});

describe("endText()", () => {
  const counted = { done: 1, moving: ["shop/Deployment/web"], waiting: 2, left: [] };
  const journal: RestartJournal = {
    ...{ question: {}, parallel: 1, deployment: "dev", at: "2026-11-23T08:00:00Z", by: "ada", epoch: 1 },
    ...{ state: "running", lease: { id: "a", by: "ada", until: "9999-01-01T00:00:00Z" }, ...counted },
  };

  it("counts workloads once they were counted, and says so until then", () => {
    const began = "The restart that ada began at 2026-11-23T08:00:00Z is under way:";
    expect(endText(journal)).toBe(`${began} 1 done, 1 under way (shop/Deployment/web), 2 not begun\n`);
    const { waiting: _, ...fresh } = { ...journal, done: 0, moving: [] };
    expect(endText(fresh)).toBe(`${began} nothing is begun yet\n`);
  });

  it("names the workload that stopped it, what is left, and how many more there are", () => {
    const left = [{ workload: "shop/Deployment/pay", why: "it is paused" }];
    const failure = { workload: "shop/Deployment/web", why: "istio-proxy ends with 1" };
    const text = endText({ ...journal, state: "failed", moving: [], failure, left, unlisted: 3 });
    expect(text.split("\n")).toEqual([
      "The restart that ada began at 2026-11-23T08:00:00Z is stopped by a workload that does not come back: 1 done, 2 not begun",
      "shop/Deployment/web does not come back: istio-proxy ends with 1",
      "Left as they are:",
      "WORKLOAD              WHY",
      "shop/Deployment/pay   it is paused",
      "and 3 more (outrigger restart --dry-run)",
      "",
    ]);
    expect(endText({ ...journal, left })).not.toContain("more (outrigger");
  });

  it("says since when it is interrupted, and how it ended", () => {
    const lease = { id: "a", by: "ada", until: "2026-11-23T09:00:00Z" };
    expect(endText({ ...journal, lease })).toContain("is interrupted since 2026-11-23T09:00:00Z: 1 done");
    expect(endText({ ...journal, state: "done" })).toContain("is complete: ");
    expect(endText({ ...journal, state: "stopped" })).toContain("is stopped: ");
    expect(endText({ ...journal, state: "stopping" })).toContain("is stopping: ");
  });

  describe("endOf()", () => {
    const end = (changes: Partial<RestartJournal>) => endOf({ ...journal, state: "done", moving: [], ...changes });

    it("is well where all are back", () => {
      const { done, left, said, finding, isHarmless } = end({ done: 4 });
      expect([done, left, said, finding, isHarmless]).toEqual([4, 0, "all are back", undefined, true]);
      expect(end({}).text).toBe(endText({ ...journal, state: "done", moving: [] }));
    });

    it("has a finding for those that were left, and stops no other cluster for it", () => {
      const left = [{ workload: "shop/Deployment/pay", why: "it is paused" }];
      const ended = end({ left, unlisted: 2 });
      expect([ended.left, ended.said, ended.isHarmless]).toEqual([3, "3 workloads were left as they are", true]);
      expect(ended.finding).toMatchObject({ code: "findings", message: "3 workloads were left as they are" });
    });

    it("says how one goes on that was stopped, failed or was interrupted", () => {
      const said = (changes: Partial<RestartJournal>) => {
        const { said: text, isHarmless, finding } = end(changes);
        expect([isHarmless, finding?.message]).toEqual([false, text]);
        return text;
      };
      expect(said({ state: "stopped" })).toBe("The restart was stopped: continue with outrigger restart resume");
      const failure = { workload: "shop/Deployment/web", why: "it ends" };
      expect(said({ state: "failed", failure })).toMatch(
        /^shop\/Deployment\/web does not come back: it ends; look at its pods, then .*rollback.*restart resume\)$/,
      );
      const lease = { id: "a", by: "ada", until: "2026-11-23T09:00:00Z" };
      expect(said({ state: "running", lease })).toMatch(/^The restart was interrupted: continue it/);
    });
  });
});

describe("untilServed()", () => {
  async function waited(ages: readonly number[], skew = 0) {
    const aws = fakeAws();
    const deployment = await aws.connect({ layout: aws.layout } as never);
    const target = { stage: "dev", layout: aws.layout };
    if (ages.length > 0) {
      await deployment.askPublisher({ action: "publish", cause: { by: "ann", why: "" } });
      const name = aws.layout.channel("stable");
      const record = JSON.parse(aws.store.values()[name] as string);
      const [move] = record.history;
      record.history = ages.map((age) => ({ ...move, at: new Date(Date.now() - age).toISOString() }));
      await aws.put(name, JSON.stringify(record, undefined, 1));
    }
    const sleeps: number[] = [];
    const io = fakeIo({ sleep: async (milliseconds) => void sleeps.push(milliseconds) });
    await untilServed(
      { deployment: { ...deployment, target }, kube: { skew: () => skew } } as unknown as RunningCluster,
      io,
    );
    return sleeps;
  }
  const DAY = 86_400_000;

  it("waits until every container knows what was moved last", async () => {
    const [wait = 0] = await waited([0, DAY]);
    expect(wait).toBeGreaterThan(0);
    const [less = 0] = await waited([0], 1000);
    expect(wait - less).toBeGreaterThan(0);
  });

  it("waits for nothing where the last move is long ago, or there was none", async () => {
    expect(await waited([DAY])).toEqual([]);
    expect(await waited([])).toEqual([]);
    expect(await waited([0], DAY)).toEqual([]);
  });
});
