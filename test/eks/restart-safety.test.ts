// What a restart may never do: take more down than it may, touch what is another owner's, continue another question, or believe that
// ready once is well.
import { type JsonObject, OutriggerError } from "@outrigger/base";
import type { InstalledWebhook } from "@outrigger/cluster";
import { compileRelease, loadRelease } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { readRunning } from "@outrigger/rollouts";
import { describe, expect, it } from "vitest";
import { BUDGETS } from "./restart-lab.ts";
import { failing, labOfEachTest, MINUTE } from "./restart-suite.ts";
import { appOf, isNew } from "./rollout-lab.ts";

const isReady = (pod: Pod) => JSON.stringify(pod).includes('"type":"Ready","status":"True"');

describe("runRestart() is safe", { timeout: 240_000 }, () => {
  const lab = labOfEachTest();

  const down = (prefix = "w-") => lab.podsOf(prefix).filter((pod) => !isReady(pod)).length;

  it.each([10_000, 40_000])(
    "in place, changes one pod where its image fails %d ms after it was ready",
    async (after) => {
      const rollingUpdate = { maxUnavailable: 1 };
      for (const name of ["w-a", "w-b", "w-c"])
        lab.put("Deployment", name, { replicas: 4, strategy: { rollingUpdate } });
      await lab.settle();
      lab.state.served = "new";
      failing(lab, after);
      const journal = await lab.restart({ question: { inPlace: [] }, ...MINUTE });
      expect(journal).toMatchObject({ state: "failed", done: 0, failure: { workload: "shop/Deployment/w-a" } });
      expect(journal.failure?.why).toContain("container side: CrashLoopBackOff");
      await lab.later(60);
      expect([lab.changes().size, down()]).toEqual([1, 1]);
    },
  );

  it("in place, counts pods as down that something else took down, and budgets over workloads", async () => {
    for (let index = 0; index < 5; index++) lab.put("Deployment", `w-${index}`, {}, { tier: "web" });
    lab.putBudget("web", { tier: "web" });
    await lab.settle();
    lab.state.served = "new";
    lab.state.fateOf = () => ({ readyAfter: 6000 });
    const ports = lab.portsOf();
    let most = 0;
    const sleep = async (milliseconds: number) => {
      await ports.sleep(milliseconds);
      most = Math.max(most, down());
    };
    const journal = await lab.restart({ question: { inPlace: [] }, parallel: 5 }, { ...ports, sleep });
    expect(journal).toMatchObject({ state: "done", done: 5, left: [] });
    expect(most).toBe(1);
  });

  it.each([10_000, 40_000])("restarts nothing more where the first falls %d ms after it was back", async (after) => {
    for (let index = 0; index < 10; index++) lab.put("Deployment", `w-${index}`);
    await lab.settle();
    lab.state.served = "new";
    failing(lab, after);
    const journal = await lab.restart(MINUTE);
    expect(journal).toMatchObject({ state: "failed", done: 0, failure: { workload: "shop/Deployment/w-0" } });
    expect(lab.writes().size).toBe(1);
  });

  it("looks at what is done before each next workload, and names the one that fell", async () => {
    for (let index = 0; index < 5; index++) lab.put("Deployment", `w-${index}`);
    await lab.settle();
    lab.state.served = "new";
    failing(lab, 150_000);
    const journal = await lab.restart(MINUTE);
    expect(journal).toMatchObject({ state: "failed", failure: { workload: "shop/Deployment/w-0" } });
    expect(journal.failure?.why).toMatch(/^it was back, and fell: pod w-0-\S+, container side/);
    expect(lab.writes().size).toBeLessThanOrEqual(3);
  });

  it("at the end, looks at all that is done once more", async () => {
    for (const name of ["w-0", "w-1"]) lab.put("Deployment", name);
    await lab.settle();
    lab.state.served = "new";
    failing(lab, 100_000, "w-0");
    expect(await lab.restart(MINUTE)).toMatchObject({ state: "failed", failure: { workload: "shop/Deployment/w-0" } });
  });

  it("waits while a pod is down that was well and may come back, and takes its node's absence for no failure", async () => {
    for (let index = 0; index < 3; index++) lab.put("Deployment", `w-${index}`);
    await lab.settle();
    lab.state.served = "new";
    let isAway = false;
    lab.state.fateOf = (pod) => (isAway && appOf(pod) === "w-0" ? {} : { readyAfter: 1000 });
    const ports = lab.portsOf();
    const sleep = async (milliseconds: number) => {
      isAway = lab.now() > start + 65_000 && lab.now() < start + 200_000;
      await ports.sleep(milliseconds);
      if (isAway && lab.now() > start + 80_000) expect(lab.writes().size).toBeLessThanOrEqual(2);
    };
    const start = lab.now();
    expect(await lab.restart(MINUTE, { ...ports, sleep })).toMatchObject({ state: "done", done: 3 });
  });

  it.each(["StatefulSet", "Rollout"] as const)(
    "frees a %s of its own pods only, whatever labels others have",
    async (kind) => {
      lab.put(kind, "web", kind === "Rollout" ? { selector: null } : {});
      await lab.settle();
      const labels = { app: "web" };
      const owner = (kind: string, name: string) => [{ apiVersion: "v1", kind, name, uid: name, controller: true }];
      const others = [
        { name: "job-1", labels, ownerReferences: owner("Job", "job") },
        { name: "bare", labels },
        {
          name: "other-5d8f-x",
          labels: { ...labels, "pod-template-hash": "5d8f" },
          ownerReferences: owner("ReplicaSet", "other-5d8f"),
        },
      ];
      for (const metadata of others) {
        lab.api.put(`/api/v1/namespaces/shop/pods/${metadata.name}`, {
          metadata: { namespace: "shop", creationTimestamp: "2026-11-20T00:00:00Z", ...metadata } as JsonObject,
          spec: { containers: [{ name: "app", image: "app" }] },
          status: { phase: "Running", conditions: [{ type: "Ready", status: "False" }] },
        });
      }
      lab.state.served = "new";
      lab.state.fateOf = (pod) => {
        if (isNew(pod)) return { crashes: { container: "side", exitCode: 1 } };
        // Those of others are never ready.
        return others.some(({ name }) => name === (pod as unknown as Pod).metadata?.name) ? {} : { readyAfter: 1000 };
      };
      await lab.restart();
      lab.state.served = "old";
      expect(await lab.restart({ question: { release: "new" }, parallel: 10 })).toMatchObject({
        state: "done",
        left: [],
      });
      const removed = lab.api.calls.filter((call) => call.startsWith("DELETE"));
      expect(removed.length).toBeGreaterThan(0);
      expect(removed.every((call) => /\/pods\/web-/.test(call))).toBe(true);
      expect(others.every(({ name }) => lab.podsOf(name).length === 1)).toBe(true);
    },
  );

  it("deletes no pod that is starting where this machine's clock is ahead", async () => {
    lab.put("Rollout", "web");
    await lab.settle();
    lab.state.served = "new";
    lab.state.fateOf = (pod) => (isNew(pod) ? { crashes: { container: "side", exitCode: 1 } } : { readyAfter: 30_000 });
    await lab.restart();
    lab.state.served = "old";
    const ahead = lab.portsOf(undefined, 300_000);
    expect(await lab.restart({ question: { release: "new" } }, ahead)).toMatchObject({ state: "done", left: [] });
    expect(lab.api.calls.filter((call) => call.startsWith("DELETE"))).toHaveLength(1);
  });

  it("never has more pods of a shared budget in motion than it allows", async () => {
    for (let index = 0; index < 5; index++) lab.put("StatefulSet", `w-${index}`, {}, { tier: "web" });
    lab.putBudget("web", { tier: "web" });
    await lab.settle();
    lab.state.served = "new";
    const ports = lab.portsOf();
    let most = 0;
    const sleep = async (milliseconds: number) => {
      await ports.sleep(milliseconds);
      most = Math.max(most, 10 - lab.podsOf("w-").filter(isReady).length);
    };
    expect(await lab.restart({ parallel: 5 }, { ...ports, sleep })).toMatchObject({ state: "done", done: 5, left: [] });
    expect(most).toBe(1);
  });

  it("begins no workload by what a budget allowed before a call that waited", async () => {
    for (const name of ["w-0", "x-1"]) lab.put("Deployment", name, {}, { tier: "web" });
    lab.putBudget("web", { tier: "web" });
    await lab.settle();
    lab.state.served = "new";
    let since: number | undefined;
    lab.state.fateOf = (pod) => {
      const isAway = since !== undefined && lab.now() < since + 60_000;
      return isAway && appOf(pod) === "x-1" ? {} : { readyAfter: 1000 };
    };
    const { direct } = lab.api;
    const allowed: unknown[] = [];
    (lab.api as { direct: typeof direct }).direct = async (request) => {
      const budget = lab.api.objects.get(`${BUDGETS}web`);
      if (request.method === "PATCH" && request.path.includes("/w-0?")) allowed.push(budget?.["status"]);
      const answer = await direct(request);
      if (since !== undefined || request.method !== "PUT" || !request.body?.includes("Deployment/w-0")) return answer;
      since = lab.now();
      throw new OutriggerError("cluster-unreachable", "it does not answer");
    };
    expect(await lab.restart()).toMatchObject({ state: "done" });
    expect(allowed).toEqual([{ disruptionsAllowed: 1 }]);
  });

  it("asks 300 workloads that their budget blocks with at most 20 calls a look", async () => {
    for (let index = 0; index < 300; index++) lab.put("Deployment", `w-${index}`, { replicas: 1 }, { tier: "web" });
    lab.putBudget("web", { tier: "web" }, { minAvailable: "100%" });
    await lab.settle();
    lab.state.served = "new";
    const ports = lab.portsOf();
    const looks: number[] = [];
    let before: number | undefined;
    const controller = new AbortController();
    const sleep = async (milliseconds: number) => {
      if (before !== undefined) looks.push(ports.calls() - before);
      if (looks.length === 20) controller.abort();
      await ports.sleep(milliseconds);
      before = ports.calls();
    };
    await lab.restart({ parallel: 5 }, { ...ports, sleep, signal: controller.signal });
    expect(Math.max(...looks)).toBeLessThanOrEqual(20);
  });

  it("makes calls again that were not answered, whichever of them, and looks twice for what is gone", async () => {
    for (const [index, kind] of (["Deployment", "StatefulSet"] as const).entries()) lab.put(kind, `w-${index}`);
    await lab.settle();
    lab.state.served = "new";
    for (const isDone of [false, true]) {
      const ports = lab.portsOf(undefined, 0, { every: 5, isDone });
      expect(await lab.restart({}, ports)).toMatchObject({ state: "done", left: [], done: 2 });
      lab.state.served = lab.state.served === "new" ? "old" : "new";
    }
    // A write that was made again had its effect once.
    const generations = ["deployments/w-0", "statefulsets/w-1"].map((place) => {
      const object = lab.api.objects.get(`/apis/apps/v1/namespaces/shop/${place}`);
      return (object as unknown as Pod).metadata?.generation;
    });
    expect(generations).toEqual([3, 3]);
  });

  it("changes no pod by what it saw before a call that waited: an autoscaler may have added one since", async () => {
    lab.put("Deployment", "w-0", { replicas: 4, strategy: { rollingUpdate: { maxUnavailable: 2, maxSurge: 0 } } });
    await lab.settle();
    lab.state.served = "new";
    lab.state.fateOf = () => ({ readyAfter: 30_000 });
    lab.wait(30_000);
    const { direct } = lab.api;
    const place = "/apis/apps/v1/namespaces/shop/deployments/w-0";
    let isLost = false;
    let most = 0;
    (lab.api as { direct: typeof direct }).direct = async (request) => {
      const isWrite = request.method === "PATCH" && request.path.includes("/pods/");
      if (!isWrite || isLost) return direct(request);
      isLost = true;
      lab.api.edit(place, "hpa", (object) => ({ ...object, spec: { ...(object["spec"] as JsonObject), replicas: 6 } }));
      await direct(request);
      throw new OutriggerError("cluster-unreachable", "it does not answer");
    };
    const ports = lab.portsOf();
    const sleep = async (milliseconds: number) => {
      await ports.sleep(milliseconds);
      most = Math.max(most, 6 - lab.podsOf("w-0").filter(isReady).length);
    };
    const journal = await lab.restart({ question: { inPlace: [] } }, { ...ports, sleep });
    expect(journal).toMatchObject({ state: "done", done: 1 });
    // The two that are new, and the one whose answer was lost.
    expect(most).toBe(3);
  });

  it("does not advise to restart what would be denied", async () => {
    lab.state.isWebhookUp = false;
    lab.put("Deployment", "w-0", { replicas: 1 });
    await lab.settle();
    const { kube, ...ports } = lab.portsOf();
    const webhook = {
      object: { metadata: { creationTimestamp: "2026-11-30T00:00:00Z" }, webhooks: [] },
      revision: "default",
    };
    const sidecars = {
      namespaces: new Map([["shop", { "istio-injection": "enabled" }]]),
      installed: [webhook] as unknown as readonly InstalledWebhook[],
      decideFor: () => undefined,
    };
    const hints = async (servedFor = ports.servedFor) => {
      const { uninjected } = await readRunning(kube, { ...ports, servedFor, sidecars });
      return uninjected.map(({ reason, remediation }) => [reason, remediation]);
    };
    expect(await hints()).toEqual([
      ["it is older than the webhook", "restart what owns it: kubectl rollout restart …"],
    ]);
    const tree = {
      config: "defaultTemplates: [side]\npolicy: enabled\n",
      "templates/side": '{{ fail "not like this" }}',
    };
    const injector = loadRelease(compileRelease([tree]));
    const denied = await hints((pod) => ports.servedFor(pod).map((served) => ({ ...served, injector })));
    expect(denied).toEqual([
      [expect.stringMatching(/^a new pod would be denied: /), "correct what is denied before you restart it"],
    ]);
  });

  it("leaves a StatefulSet of another API group to its own controller", async () => {
    const ownerReferences = [
      { apiVersion: "apps.kruise.io/v1beta1", kind: "StatefulSet", name: "db", uid: "db", controller: true },
    ];
    lab.api.put("/api/v1/namespaces/shop/pods/db-0", {
      metadata: { name: "db-0", namespace: "shop", ownerReferences },
      spec: { containers: [{ name: "app", image: "app" }] },
      status: { phase: "Running" },
    });
    lab.state.served = "new";
    expect((await lab.restart()).left).toEqual([
      { workload: "shop/StatefulSet.apps.kruise.io/db", why: expect.stringContaining("it is of another controller") },
    ]);
  });
});
