// What a restart may never do: take more down than it may, touch what is another owner's, continue another question, or believe that
// ready once is well.
import { type JsonObject, OutriggerError } from "@outrigger/base";
import type { InstalledWebhook } from "@outrigger/cluster";
import { compileRelease, loadRelease, readStatus } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { interruptedSince, readJournal, readRunning, stopJournal } from "@outrigger/rollouts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Killed, openRestartLab, type RestartLab } from "./restart-lab.ts";
import { isNew } from "./rollout-lab.ts";

const MINUTE = { bake: 60 };
const isReady = (pod: Pod) => JSON.stringify(pod).includes('"type":"Ready","status":"True"');
const appOf = (pod: JsonObject) => (pod as unknown as Pod).metadata?.labels?.["app"];

describe("runRestart() is safe", { timeout: 240_000 }, () => {
  let lab: RestartLab;
  beforeEach(async () => {
    lab = await openRestartLab();
  });
  afterEach(() => lab.close());

  const down = (prefix = "w-") => lab.podsOf(prefix).filter((pod) => !isReady(pod)).length;
  const putBudget = (name: string, labels: JsonObject, spec: JsonObject = { maxUnavailable: 1 }) =>
    lab.api.put(`/apis/policy/v1/namespaces/shop/poddisruptionbudgets/${name}`, {
      metadata: { name, namespace: "shop" },
      spec: { selector: { matchLabels: labels }, ...spec },
    });
  const failing = (fallsAfter: number) => {
    lab.state.fateOf = (pod) =>
      isNew(pod) ? { readyAfter: 3000, fallsAfter, crashes: { container: "side", exitCode: 1 } } : { readyAfter: 1000 };
  };
  /** Lets time pass when the command has ended, as a cluster does. */
  const later = async (seconds: number) => {
    for (let count = 0; count < seconds / 2; count++) await lab.sleep(2000);
  };

  it.each([10_000, 40_000])(
    "in place, changes one pod where its image fails %d ms after it was ready",
    async (after) => {
      const rollingUpdate = { maxUnavailable: 1 };
      for (const name of ["w-a", "w-b", "w-c"])
        lab.put("Deployment", name, { replicas: 4, strategy: { rollingUpdate } });
      await lab.settle();
      lab.state.served = "new";
      failing(after);
      const journal = await lab.restart({ question: { inPlace: [] }, ...MINUTE });
      expect(journal).toMatchObject({ state: "failed", done: 0, failure: { workload: "shop/Deployment/w-a" } });
      expect(journal.failure?.why).toContain("container side: CrashLoopBackOff");
      await later(60);
      expect([lab.changes().size, down()]).toEqual([1, 1]);
    },
  );

  it("in place, counts pods as down that something else took down, and budgets over workloads", async () => {
    for (let index = 0; index < 5; index++) lab.put("Deployment", `w-${index}`, {}, { tier: "web" });
    putBudget("web", { tier: "web" });
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
    failing(after);
    const journal = await lab.restart(MINUTE);
    expect(journal).toMatchObject({ state: "failed", done: 0, failure: { workload: "shop/Deployment/w-0" } });
    expect(lab.writes().size).toBe(1);
  });

  it("looks at what is done before each next workload, and names the one that fell", async () => {
    for (let index = 0; index < 5; index++) lab.put("Deployment", `w-${index}`);
    await lab.settle();
    lab.state.served = "new";
    failing(150_000);
    const journal = await lab.restart(MINUTE);
    expect(journal).toMatchObject({ state: "failed", failure: { workload: "shop/Deployment/w-0" } });
    expect(journal.failure?.why).toMatch(/^it was back, and fell: pod w-0-\S+, container side/);
    expect(lab.writes().size).toBeLessThanOrEqual(3);
  });

  it("at the end, looks at all that is done once more", async () => {
    for (const name of ["w-0", "w-1"]) lab.put("Deployment", name);
    await lab.settle();
    lab.state.served = "new";
    lab.state.fateOf = (pod) =>
      isNew(pod) && appOf(pod) === "w-0"
        ? { readyAfter: 3000, fallsAfter: 100_000, crashes: { container: "side", exitCode: 1 } }
        : { readyAfter: 1000 };
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
    putBudget("web", { tier: "web" });
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
    putBudget("web", { tier: "web" });
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
      const budget = lab.api.objects.get("/apis/policy/v1/namespaces/shop/poddisruptionbudgets/web");
      if (request.method === "PATCH" && request.path.includes("/w-0?")) allowed.push(budget?.["status"]);
      const answer = await direct(request);
      if (since !== undefined || request.method !== "PUT" || !request.body?.includes("Deployment/w-0")) return answer;
      since = lab.now();
      throw new OutriggerError("cluster-unreachable", "it does not answer");
    };
    expect(await lab.restart()).toMatchObject({ state: "done" });
    expect(allowed).toEqual([{ disruptionsAllowed: 1 }]);
  });

  it("does not count the time for which it was suspended as a workload's own", async () => {
    lab.put("Deployment", "w-0", { replicas: 1, progressDeadlineSeconds: 120 });
    await lab.settle();
    lab.state.served = "new";
    const start = lab.now();
    const seconds = () => (lab.now() - start) / 1000;
    // Down for a moment, just when the command wakes.
    lab.state.fateOf = () => (seconds() >= 128 && seconds() < 150 ? {} : { readyAfter: 1000 });
    const ports = lab.portsOf();
    let sleeps = 0;
    const sleep = async (milliseconds: number) => {
      if (++sleeps === 20) lab.wait(90_000);
      await ports.sleep(milliseconds);
    };
    const asked = { question: { inPlace: [] }, ...MINUTE };
    expect(await lab.restart(asked, { ...ports, sleep })).toMatchObject({ state: "done", done: 1 });
  });

  it("asks 300 workloads that their budget blocks with at most 20 calls a look", async () => {
    for (let index = 0; index < 300; index++) lab.put("Deployment", `w-${index}`, { replicas: 1 }, { tier: "web" });
    putBudget("web", { tier: "web" }, { minAvailable: "100%" });
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

  it("continues a restart only for the same question, and a recent one", async () => {
    for (const name of ["w-0", "w-1"]) lab.put("Deployment", name);
    await lab.settle();
    lab.state.served = "new";
    const begin = async () => {
      const ports = lab.portsOf();
      const sleep = async () => {
        throw new Error("the process ends");
      };
      await expect(lab.restart({}, { ...ports, sleep })).rejects.toThrow("the process ends");
    };
    await begin();
    const journal = await readJournal(lab.portsOf().kube);
    // The lease was let go: nobody has to wait for it.
    expect(journal && interruptedSince(journal, lab.now())).toBeDefined();
    for (const question of [{ namespace: "checkout" }, { inPlace: [] }, { selector: "app=w-0" }]) {
      await expect(lab.restart({ question })).rejects.toMatchObject({
        code: "cluster-conflict",
        message: expect.stringMatching(/is not finished; continue it \(outrigger restart resume\), or stop it/),
      });
    }
    lab.wait(21 * 86_400_000);
    await expect(lab.restart()).rejects.toMatchObject({ code: "cluster-conflict" });
    expect(lab.writes().size).toBe(1);
    expect(await lab.restart({ isResumed: true })).toMatchObject({ state: "done", done: 2 });
  });

  it("does not take a restart back that was stopped while it was suspended", async () => {
    for (const name of ["w-0", "w-1", "w-2"]) lab.put("Deployment", name);
    await lab.settle();
    lab.state.served = "new";
    const ports = lab.portsOf();
    let isFrozen = false;
    const sleep = async (milliseconds: number) => {
      await ports.sleep(milliseconds);
      if (isFrozen || lab.writes().size === 0) return;
      isFrozen = true;
      lab.wait(90_000);
      expect(await stopJournal(lab.portsOf().kube, lab.now())).toMatchObject({ state: "stopped" });
    };
    await expect(lab.restart({}, { ...ports, sleep })).rejects.toMatchObject({
      code: "cluster-conflict",
      message: expect.stringContaining("it is stopped by now"),
    });
    expect(lab.writes().size).toBe(1);
    expect(await readJournal(lab.portsOf().kube)).toMatchObject({ state: "stopped" });
  });

  it.each<["StatefulSet" | "Deployment" | "Rollout", JsonObject, number]>([
    ["StatefulSet", { replicas: 30 }, 30_000],
    ["Deployment", { replicas: 60, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }, 20_000],
    ["Rollout", { replicas: 30 }, 30_000],
  ])("waits for a healthy %s for as long as it makes progress", async (kind, spec, readyAfter) => {
    lab.put(kind, "w-0", spec);
    await lab.settle();
    lab.state.served = "new";
    lab.state.fateOf = () => ({ readyAfter });
    const start = lab.now();
    expect(await lab.restart()).toMatchObject({ state: "done", done: 1 });
    expect(lab.now() - start).toBeGreaterThan(600_000);
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

  it("keeps its lease while one call takes minutes, and loses it to nobody", async () => {
    for (const name of ["w-0", "w-1"]) lab.put("Deployment", name);
    await lab.settle();
    lab.state.served = "new";
    let renew = () => {};
    let isKept = true;
    const every = (_milliseconds: number, call: () => void) => {
      renew = call;
      return () => {
        renew = () => {};
      };
    };
    let looks = 0;
    const look = async () => {
      if (looks++ !== 3) return undefined;
      for (let count = 0; count < 20; count++) {
        lab.wait(15_000);
        renew();
        await new Promise((resolve) => setImmediate(resolve));
      }
      const { kube } = lab.portsOf();
      isKept =
        interruptedSince(
          (await readJournal(kube)) as NonNullable<Awaited<ReturnType<typeof readJournal>>>,
          lab.now(),
        ) === undefined;
      return undefined;
    };
    expect(await lab.restart({}, { ...lab.portsOf(), every, look })).toMatchObject({ state: "done", done: 2 });
    expect(isKept).toBe(true);
    // It ends with the command.
    const { length } = lab.api.calls;
    renew();
    expect(lab.api.calls).toHaveLength(length);
  });

  it.each([false, true])("after a takeover, watches what was done before it too (in place: %j)", async (isInPlace) => {
    for (let index = 0; index < 4; index++) lab.put("Deployment", `w-${index}`);
    await lab.settle();
    lab.state.served = "new";
    lab.state.fateOf = (pod) =>
      isNew(pod) && appOf(pod) === "w-0"
        ? { readyAfter: 3000, fallsAfter: 400_000, crashes: { container: "side", exitCode: 1 } }
        : { readyAfter: 1000 };
    const question = isInPlace ? { inPlace: [] } : {};
    const ports = lab.portsOf();
    const sleep = async (milliseconds: number) => {
      if (lab.lines.some((line) => line === "shop/Deployment/w-1 is back")) throw new Error("the process ends");
      await ports.sleep(milliseconds);
    };
    await expect(lab.restart({ question, ...MINUTE }, { ...ports, sleep })).rejects.toThrow("the process ends");
    const begun = [lab.writes().size, lab.changes().size];
    await later(400);
    expect(await lab.restart({ question, isResumed: true })).toMatchObject({
      state: "failed",
      failure: { workload: "shop/Deployment/w-0", why: expect.stringContaining("it was back, and fell") },
    });
    expect([lab.writes().size, lab.changes().size]).toEqual(begun);
  });

  it.each<["takeover" | "stop", string, RegExp, string, JsonObject]>([
    ["takeover", "an image", /PATCH .*\/pods\/[^/]+$/, "new", { inPlace: [] }],
    ["takeover", "resources", /PATCH .*\/resize$/, "sized-more", { inPlace: [] }],
    ["takeover", "a restart", /PATCH .*\/deployments\/w-0$/, "new", {}],
    ["stop", "an image", /PATCH .*\/pods\/[^/]+$/, "new", { inPlace: [] }],
    ["stop", "a restart", /PATCH .*\/deployments\/w-0$/, "new", {}],
  ])("after a %s, what a suspended command had sent has no effect: %s", async (how, _what, call, release, question) => {
    const before = release === "new" ? "old" : "sized-old";
    lab.state.served = before;
    lab.put("Deployment", "w-0", { replicas: 1 });
    await lab.settle();
    lab.state.served = release;
    const { direct } = lab.api;
    let late: number | undefined;
    (lab.api as { direct: typeof direct }).direct = async (request) => {
      if (late !== undefined || !call.test(`${request.method} ${request.path.split("?")[0]}`)) return direct(request);
      late = 0;
      await later(90);
      // The release is taken back: the pod is as it is to be, and nothing else writes into it.
      lab.state.served = before;
      if (how === "stop") await stopJournal(lab.portsOf().kube, lab.now());
      else expect(await lab.restart({ question, isResumed: true })).toMatchObject({ state: "done" });
      ({ status: late } = await direct(request));
      throw new Killed("its answer comes to nobody");
    };
    await expect(lab.restart({ question })).rejects.toThrow(Killed);
    expect(late).toBe(409);
    await later(30);
    expect(lab.podsOf("w-0").map((pod) => readStatus(pod)?.madeBy?.release)).toEqual([before]);
  });

  it("stores of 12,000 workloads that are left as many as a ConfigMap takes, and how many more there are", async () => {
    const text = "x".repeat(200);
    for (let index = 0; index < 12_000; index++) {
      lab.api.put(`/api/v1/namespaces/shop/pods/bare-${index}-${text}`, {
        metadata: { name: `bare-${index}-${text}`, namespace: "shop" },
        spec: { containers: [{ name: "app", image: "app" }] },
        status: { phase: "Running" },
      });
    }
    lab.state.served = "new";
    const { left } = await lab.restart();
    expect(left).toHaveLength(12_000);
    const stored = lab.api.objects.get("/api/v1/namespaces/default/configmaps/outrigger-restart");
    expect(JSON.stringify(stored).length).toBeLessThan(1_048_576);
    const journal = await readJournal(lab.portsOf().kube);
    expect(journal?.left.length).toBeGreaterThan(1000);
    expect((journal?.left.length ?? 0) + (journal?.unlisted ?? 0)).toBe(12_000);
    expect((await lab.restart({ question: { namespace: "empty" } })).unlisted).toBeUndefined();
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

  it.each<readonly ["Deployment" | "StatefulSet" | "DaemonSet" | "Rollout", "well" | "crashing" | "urgent"]>([
    ...(["Deployment", "StatefulSet", "DaemonSet", "Rollout"] as const).map((kind) => [kind, "well"] as const),
    ...(["Deployment", "StatefulSet", "Rollout"] as const).map((kind) => [kind, "crashing"] as const),
    ...(["Deployment", "StatefulSet", "Rollout"] as const).map((kind) => [kind, "urgent"] as const),
  ])("restarts a %s once more where the webhook answered with what was served before (%s)", async (kind, how) => {
    const [before, release] = how === "urgent" ? ["new", "old"] : ["old", "new"];
    lab.state.served = before;
    lab.put(kind, "w-0");
    await lab.settle();
    lab.state.served = release;
    lab.state.answers = before;
    const start = lab.now();
    const crashes = { container: "side", exitCode: 1 };
    const isLate = (pod: JsonObject) => Date.parse(String((pod as Pod).metadata?.creationTimestamp)) >= start;
    lab.state.fateOf = (pod) => {
      const isBad = how !== "well" && readStatus(pod as Pod)?.madeBy?.release === before;
      return isBad && (how === "urgent" || isLate(pod)) ? { crashes } : { readyAfter: 1000 };
    };
    const ports = lab.portsOf();
    const sleep = async (milliseconds: number) => {
      if (lab.now() >= start + 10_000) lab.state.answers = undefined;
      await ports.sleep(milliseconds);
    };
    const question = how === "urgent" ? { release: before } : {};
    expect(await lab.restart({ question }, { ...ports, sleep })).toMatchObject({ state: "done", left: [], done: 1 });
    expect(new Set(lab.podsOf("w-0").map((pod) => readStatus(pod)?.madeBy?.release))).toEqual(new Set([release]));
    expect([...lab.writes().values()]).toEqual([2]);
  });

  it("restarts no workload a third time where the webhook never answers with what is served", async () => {
    lab.put("Deployment", "w-0");
    await lab.settle();
    lab.state.served = "new";
    lab.state.answers = "old";
    expect(await lab.restart()).toMatchObject({
      state: "failed",
      failure: { workload: "shop/Deployment/w-0", why: "its new pods differ from what the release injects" },
    });
    expect([...lab.writes().values()]).toEqual([2]);
  });

  it("leaves a workload that is well where a budget never allows its second restart, and names the budget", async () => {
    const budget = (spec: JsonObject) =>
      lab.api.put("/apis/policy/v1/namespaces/shop/poddisruptionbudgets/few", {
        metadata: { name: "few", namespace: "shop" },
        spec: { selector: { matchLabels: { app: "w-0" } }, ...spec },
      });
    for (const name of ["w-0", "w-1"]) lab.put("Deployment", name);
    budget({ maxUnavailable: 1 });
    await lab.settle();
    lab.state.served = "new";
    lab.state.answers = "old";
    lab.state.answersUntil = lab.now() + 10_000;
    const ports = lab.portsOf();
    const sleep = async (milliseconds: number) => {
      if (lab.writes().size > 0) budget({ minAvailable: "100%" });
      await ports.sleep(milliseconds);
    };
    expect(await lab.restart({}, { ...ports, sleep })).toMatchObject({
      state: "done",
      done: 1,
      left: [{ workload: "shop/Deployment/w-0", why: expect.stringMatching(/^its new pods have what .* few allows/) }],
    });
    expect(Object.fromEntries(lab.writes())).toEqual({ "w-0": 1, "w-1": 1 });
  });

  it("ends when it is to stop, where new pods have what was served before", async () => {
    lab.put("Deployment", "w-0");
    await lab.settle();
    lab.state.served = "new";
    lab.state.answers = "old";
    const controller = new AbortController();
    const ports = lab.portsOf();
    const sleep = async (milliseconds: number) => {
      if (lab.writes().size > 0) controller.abort();
      await ports.sleep(milliseconds);
    };
    const journal = await lab.restart({}, { ...ports, sleep, signal: controller.signal });
    expect(journal).toMatchObject({ state: "stopped", done: 0, waiting: 0 });
    lab.state.answers = undefined;
    expect(await lab.restart({ isResumed: true })).toMatchObject({ state: "done", done: 1 });
  });

  it("waits no longer than the deadline for a pod that goes down once its Deployment was complete", async () => {
    lab.put("Deployment", "w-0");
    await lab.settle();
    lab.state.served = "new";
    const ports = lab.portsOf();
    const isStuck = (pod: JsonObject) => lab.podsOf("w-0")[0]?.metadata?.name === (pod as Pod).metadata?.name;
    const sleep = async (milliseconds: number) => {
      if (lab.imagesOf("w-0").every((image) => image === "side:new") && lab.podsOf("w-0").length === 2) {
        lab.state.fateOf = (pod) => (isStuck(pod) ? {} : { readyAfter: 1000 });
      }
      await ports.sleep(milliseconds);
    };
    const { state, failure } = await lab.restart({ bake: 60 }, { ...ports, sleep });
    expect([state, failure?.why]).toEqual(["failed", "after 600 s, 1 of 2 new pods are available"]);
  });

  it("does not wait for a Deployment that is paused meanwhile", async () => {
    lab.put("Deployment", "w-0");
    await lab.settle();
    lab.state.served = "new";
    const ports = lab.portsOf();
    const place = "/apis/apps/v1/namespaces/shop/deployments/w-0";
    const stored = () => lab.api.objects.get(place) as Readonly<Record<"metadata" | "spec" | "status", JsonObject>>;
    const sleep = async (milliseconds: number) => {
      const isUnderWay = stored().status["updatedReplicas"] === 1;
      if (isUnderWay && stored().spec["paused"] !== true) {
        lab.api.edit(place, "ann", (now) => ({ ...now, spec: { ...stored().spec, paused: true } }));
        // Its controller sees that it is paused, and from then on counts no deadline.
        const observedGeneration = stored().metadata["generation"] as number;
        lab.api.put(place, { ...stored(), status: { ...stored().status, observedGeneration } });
      }
      await ports.sleep(milliseconds);
    };
    const { state, failure } = await lab.restart({}, { ...ports, sleep });
    expect([state, failure?.why]).toEqual(["failed", "after 600 s, 1 of 2 new pods have been made"]);
  });

  it("says that another release is served, not that pods are wrong", async () => {
    lab.put("Deployment", "w-0");
    await lab.settle();
    lab.state.served = "new";
    lab.state.isWebhookUp = false;
    const whyMoved = async () => "another release is served by now";
    const { state, failure } = await lab.restart({}, { ...lab.portsOf(), whyMoved });
    // No workload is to blame.
    expect([state, failure]).toEqual(["failed", { why: "another release is served by now" }]);
  });
});
