import type { JsonObject } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { describe, expect, it } from "vitest";

import { allowedFor, beginLook, labelsOf, type Moving, nothingSeen, type Run } from "./run.ts";

const budget = (name: string, matchLabels: JsonObject | undefined, disruptionsAllowed?: number): JsonObject => ({
  metadata: { name },
  spec: matchLabels === undefined ? {} : { selector: { matchLabels } },
  status: disruptionsAllowed === undefined ? {} : { disruptionsAllowed },
});

const moving = (app: string, taken = 0, namespace = "shop") =>
  ({ object: { metadata: { name: app, namespace } }, labels: [{ app, tier: "web" }], taken }) as unknown as Moving;

/** A restart with these in motion, in a cluster with these budgets in the namespace `shop`. */
function runWith(budgets: readonly JsonObject[], inMotion: readonly Moving[] = [], isUrgent = false) {
  const asked: string[] = [];
  const kube = {
    async *list(path: string) {
      asked.push(path);
      yield* path.includes("/namespaces/shop/") ? budgets : [];
    },
  } as unknown as KubeClient;
  const clock = { now: () => 0, pauses: () => 0 };
  const run = { kube, isUrgent, ...clock, moving: new Map(inMotion.map((one, index) => [String(index), one])) };
  return { run: { ...run, seen: nothingSeen(clock) } as unknown as Run, asked };
}

describe("allowedFor()", () => {
  const UNLIMITED = { pods: Number.POSITIVE_INFINITY, budget: "" };
  const allowed = (budgets: readonly JsonObject[], inMotion: readonly Moving[] = []) =>
    allowedFor(runWith(budgets, inMotion).run, moving("a"));

  it.each<[string, readonly JsonObject[], object]>([
    ["no budget", [], UNLIMITED],
    ["a budget of others", [budget("b", { app: "b" }, 0)], UNLIMITED],
    ["a budget without a selector, which Kubernetes takes for none", [budget("b", undefined, 0)], UNLIMITED],
    ["its budget", [budget("own", { app: "a" }, 2)], { pods: 2, budget: "own" }],
    [
      "the tightest of several",
      [budget("x", { app: "a" }, 2), budget("y", { tier: "web" }, 1)],
      { pods: 1, budget: "y" },
    ],
    [
      "the first of two that are alike",
      [budget("x", { app: "a" }, 1), budget("y", { tier: "web" }, 1)],
      { pods: 1, budget: "x" },
    ],
    ["a budget that its controller has not counted yet", [budget("new", { app: "a" })], { pods: 0, budget: "new" }],
    ["a budget of all", [budget("all", {}, 3)], { pods: 3, budget: "all" }],
  ])("with %s", async (_, budgets, expected) => {
    expect(await allowed(budgets)).toEqual(expected);
  });

  it("deducts what is in motion under the same budget, in the same namespace", async () => {
    const web = [budget("web", { tier: "web" }, 5)];
    expect(await allowed(web, [moving("b", 2), moving("c", 1), moving("d", 9, "other")])).toMatchObject({ pods: 2 });
    const own = [budget("own", { app: "a" }, 5)];
    expect(await allowed(own, [moving("b", 2)])).toMatchObject({ pods: 5 });
  });

  it("is over a workload by the labels of any of its pods", async () => {
    const { run } = runWith([budget("old", { app: "old" }, 1)]);
    const both = { ...moving("a"), labels: [{ app: "a" }, { app: "old" }] };
    expect(await allowedFor(run, both)).toMatchObject({ pods: 1 });
  });

  it("asks once a look and namespace, and not at all for a release that was taken back", async () => {
    const { run, asked } = runWith([budget("own", { app: "a" }, 2)]);
    await allowedFor(run, moving("a"));
    await allowedFor(run, moving("b"));
    await allowedFor(run, moving("a", 0, "other one"));
    expect(asked).toEqual(
      ["shop", "other%20one"].map((namespace) => `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`),
    );
    beginLook(run);
    await allowedFor(run, moving("a"));
    expect(asked).toHaveLength(3);
    const urgent = runWith([budget("own", { app: "a" }, 0)], [], true);
    expect([await allowedFor(urgent.run, moving("a")), urgent.asked]).toEqual([UNLIMITED, []]);
  });
});

describe("labelsOf()", () => {
  it("are those of the pods, and of the template where there are none", () => {
    const template = { metadata: { labels: { app: "a" } } };
    const object = { metadata: { name: "a" }, spec: { template } };
    const pods = [{ metadata: { labels: { app: "a", hash: "1" } } }, { metadata: { labels: { app: "a", hash: "2" } } }];
    expect(labelsOf({ name: "a", object, pods })).toEqual([
      { app: "a", hash: "1" },
      { app: "a", hash: "2" },
    ]);
    expect(labelsOf({ name: "a", object, pods: [] })).toEqual([{ app: "a" }]);
  });
});
