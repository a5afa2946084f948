// Restarting what a release changes, against an API server with controllers.
import { type JsonObject, OutriggerError } from "@outrigger/base";
import { findInstalled, readNamespaces } from "@outrigger/cluster";
import type { Pod } from "@outrigger/pod";
import { readJournal, rolloutStatus, stopJournal } from "@outrigger/rollouts";
import { buildRbac } from "@outrigger/webhook";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { turnOf } from "../support/in-turn.ts";
import { type BoundRule, boundRules, rbacAuthorizer, weakerRules } from "./rbac-authorizer.ts";
import { Killed, openRestartLab, type RestartLab } from "./restart-lab.ts";
import { killsOf } from "./restart-suite.ts";

const KINDS = ["Deployment", "StatefulSet", "DaemonSet", "Rollout"] as const;
const isOf = (image: string) => (pod: JsonObject) =>
  (pod as unknown as Pod).spec?.containers?.some((one) => one.image === image) === true;
const isNew = isOf("side:new");
/** A multiple of 20: of each kind as many, and of each kind one in five that no release changes. */
const WORKLOADS = Number(process.env["OUTRIGGER_RESTARTED_WORKLOADS"] ?? 80);

// The other shares are in in-place.test.ts.
const LARGE = turnOf("Restarts of many workloads", 2);
const KILLED = turnOf("Restarts killed", 2);

describe("runRestart()", { timeout: 240_000 }, () => {
  let lab: RestartLab;
  beforeEach(async () => {
    lab = await openRestartLab();
  });
  afterEach(() => lab.close());

  it.each(KINDS)("restarts a %s whose new pods would differ, once, and waits until they are back", async (kind) => {
    lab.put(kind, "web");
    lab.put(kind, "plain", {}, { "sidecar.istio.io/inject": "false" });
    await lab.settle();
    expect(await lab.restart()).toMatchObject({ state: "done", done: 0 });
    expect(lab.writes().size).toBe(0);
    lab.state.served = "new";
    const journal = await lab.restart();
    expect(journal).toMatchObject({ state: "done", done: 1, moving: [], waiting: 0, left: [] });
    expect(new Set(lab.imagesOf("web"))).toEqual(new Set(["side:new"]));
    expect([...lab.writes()]).toEqual([["web", 1]]);
    expect(lab.lines).toEqual([`shop/${kind}/web is restarted`, `shop/${kind}/web is back`]);
    expect(await lab.restart()).toMatchObject({ state: "done", done: 0 });
    expect([...lab.writes()]).toEqual([["web", 1]]);
  });

  it.each<[string, (lab: RestartLab) => void, string]>([
    ["is paused", (one) => one.put("Deployment", "web", { paused: true }), "it is paused: resume it first"],
    ["has OnDelete", (one) => one.put("DaemonSet", "web", { updateStrategy: { type: "OnDelete" } }), "is OnDelete"],
    [
      "has a partition",
      (one) => one.put("StatefulSet", "web", { updateStrategy: { rollingUpdate: { partition: 1 } } }),
      "partition 1",
    ],
  ])("leaves and names a workload that %s", async (_what, change, why) => {
    lab.put(_what === "has a partition" ? "StatefulSet" : _what === "has OnDelete" ? "DaemonSet" : "Deployment", "web");
    await lab.settle();
    const before = [...lab.api.objects].find(([path]) => path.endsWith("/web")) as [string, JsonObject];
    change(lab);
    const [path] = before;
    const changed = lab.api.objects.get(path) as JsonObject;
    lab.api.put(path, {
      ...changed,
      metadata: before[1]["metadata"] as JsonObject,
      status: before[1]["status"] as JsonObject,
    });
    lab.state.served = "new";
    const { left, done } = await lab.restart();
    expect([done, left.length, left[0]?.why]).toEqual([0, 1, expect.stringContaining(why)]);
    expect(lab.writes().size).toBe(0);
  });

  it("leaves a workload that was not healthy before, and one without a rollout", async () => {
    lab.state.fateOf = (pod) => (JSON.stringify(pod).includes('"app":"sick"') ? {} : { readyAfter: 1000 });
    lab.put("Deployment", "sick");
    lab.api.put("/api/v1/namespaces/shop/pods/bare", {
      metadata: { name: "bare", namespace: "shop" },
      spec: { containers: [{ name: "app", image: "app" }] },
      status: { phase: "Running" },
    });
    await lab.settle();
    lab.state.served = "new";
    expect((await lab.restart()).left).toEqual([
      { workload: "shop/Deployment/sick", why: expect.stringContaining("it was not healthy before: 0 of 2") },
      { workload: "shop/Pod/bare", why: "it has no controller: delete it and create it again" },
    ]);
    expect(lab.writes().size).toBe(0);
  });

  it("leaves the pods of a controller whose kind is a word of JavaScript", async () => {
    lab.api.put("/api/v1/namespaces/shop/pods/odd", {
      metadata: {
        name: "odd",
        namespace: "shop",
        ownerReferences: [
          { apiVersion: "example.com/v1", kind: "constructor", name: "odd", uid: "1", controller: true },
        ],
      },
      spec: { containers: [{ name: "app", image: "app" }] },
      status: { phase: "Running" },
    });
    lab.state.served = "new";
    const why = "a constructor has no rollout: delete its pods, one at a time";
    expect((await lab.restart()).left).toEqual([{ workload: "shop/constructor/odd", why }]);
  });

  it.each([
    [
      "crashes",
      { crashes: { container: "side", exitCode: 137, reason: "OOMKilled" } },
      "container side: CrashLoopBackOff, exit code 137, OOMKilled, 3 restarts",
    ],
    ["cannot be pulled", { unpulled: "side" }, "container side: ImagePullBackOff"],
    ["is never ready", {}, "after 600 s, "],
  ])("stops at the first whose new container %s, with the cause", async (_what, fate, why) => {
    for (const name of ["a", "b", "c"]) lab.put("Deployment", name);
    await lab.settle();
    lab.state.served = "new";
    lab.state.fateOf = (pod) =>
      isNew(pod) && !JSON.stringify(pod).includes('"app":"a"') ? fate : { readyAfter: 1000 };
    const journal = await lab.restart();
    expect(journal).toMatchObject({ state: "failed", done: 1, waiting: 1, moving: ["shop/Deployment/b"] });
    expect(journal.failure).toMatchObject({
      workload: "shop/Deployment/b",
      why: expect.stringMatching(/deadline|new pods|container/),
    });
    if (_what !== "is never ready") expect(journal.failure?.why).toContain(why);
    expect([...lab.writes().keys()]).toEqual(["a", "b"]);
  });

  it("says on the workload that it stopped, who injects, and from what to what", async () => {
    lab.put("Deployment", "web");
    await lab.settle();
    lab.state.served = "new";
    lab.state.fateOf = (pod) => (isNew(pod) ? { crashes: { container: "side", exitCode: 1 } } : { readyAfter: 1000 });
    await lab.restart();
    const [event] = [...lab.api.objects].filter(([path]) => path.startsWith("/api/v1/namespaces/shop/events/"));
    const { uid } = (lab.api.objects.get("/apis/apps/v1/namespaces/shop/deployments/web") as { metadata: JsonObject })
      .metadata;
    expect(event?.[1]).toMatchObject({
      type: "Warning",
      reason: "RestartStopped",
      source: { component: "outrigger" },
      involvedObject: { kind: "Deployment", apiVersion: "apps/v1", name: "web", namespace: "shop", uid },
      message: expect.stringMatching(
        /^The restart for the deployment "dev" by ann, from release old to new, stopped here: pod web-\S+, container side: CrashLoopBackOff/,
      ),
    });
    const metric = lab.lines.find((line) => line.startsWith("{"));
    expect(JSON.parse(metric ?? "")).toMatchObject({
      level: "error",
      event: "restart",
      RestartStopped: 1,
      Stage: "dev",
      workload: "shop/Deployment/web",
      from: "old",
      to: "new",
      by: "ann",
    });
    lab.api.objects.delete(event?.[0] ?? "");
    lab.api.authorize = (_method, path) => (path.endsWith("/events") && _method === "POST" ? "forbidden" : undefined);
    lab.state.served = "more";
    expect(await lab.restart({ question: { selector: "app=web", release: "new" } })).toMatchObject({ state: "done" });
  });

  it("leaves every workload where a dry run's pod comes without a sidecar: the webhook is not called", async () => {
    for (const name of ["a", "b"]) lab.put("Deployment", name);
    await lab.settle();
    lab.state.served = "new";
    lab.state.isWebhookUp = false;
    const why = expect.stringContaining("its next pod would have no sidecar");
    const left = ["a", "b"].map((name) => ({ workload: `shop/Deployment/${name}`, why }));
    expect(await lab.restart()).toMatchObject({ state: "done", done: 0, left });
    expect([...lab.writes().keys()]).toEqual([]);
  });

  it("stops where new pods come without what the release injects: the webhook has failed since it was asked", async () => {
    for (const name of ["a", "b"]) lab.put("Deployment", name);
    await lab.settle();
    lab.state.served = "new";
    // The dry run is the first pod that it injects, and the last.
    lab.state.check = () => {
      lab.state.isWebhookUp = false;
    };
    expect(await lab.restart()).toMatchObject({
      state: "failed",
      failure: { workload: "shop/Deployment/a", why: expect.stringContaining("its new pods have no sidecar") },
    });
    expect([...lab.writes().keys()]).toEqual(["a"]);
  });

  it("stops where another tool takes the restart back, as GitOps may", async () => {
    lab.put("Deployment", "web");
    await lab.settle();
    lab.state.served = "new";
    const ports = lab.portsOf();
    const path = "/apis/apps/v1/namespaces/shop/deployments/web";
    const { spec } = lab.api.objects.get(path) as JsonObject;
    const sleep = async (milliseconds: number) => {
      const { metadata, ...rest } = lab.api.objects.get(path) as JsonObject;
      const generation = Number((metadata as JsonObject)["generation"]) + 1;
      lab.api.put(path, { ...rest, metadata: { ...(metadata as JsonObject), generation }, ...(spec && { spec }) });
      await ports.sleep(milliseconds);
    };
    const journal = await lab.restart({}, { ...ports, sleep });
    expect(journal.failure?.why).toContain("another tool has taken its restart back");
  });

  it("begins nothing while a budget allows no disruption, and leaves what it never allows", async () => {
    for (const name of ["a", "b"]) lab.put("Deployment", name);
    lab.putBudget("a", { app: "a" }, { minAvailable: "100%" });
    lab.putBudget("b", { app: "b" });
    await lab.settle();
    lab.state.served = "new";
    const journal = await lab.restart();
    expect(journal).toMatchObject({ state: "done", done: 1 });
    expect(journal.left).toEqual([
      { workload: "shop/Deployment/a", why: "its PodDisruptionBudget allows no disruption" },
    ]);
    expect([...lab.writes().keys()]).toEqual(["b"]);
  });

  it("begins only within its window", async () => {
    lab.put("Deployment", "web");
    await lab.settle();
    lab.state.served = "new";
    const begun: string[] = [];
    const ports = lab.portsOf();
    await lab.restart(
      { window: "22:00-04:00" },
      {
        ...ports,
        report: () => void begun.push(new Date(lab.now()).toISOString().slice(11, 16)),
      },
    );
    expect(begun[0]).toBe("22:00");
  });

  it("is refused while another command restarts, stops when it is asked to, and is continued", async () => {
    for (const name of ["a", "b", "c"]) lab.put("Deployment", name);
    await lab.settle();
    lab.state.served = "new";
    const ports = lab.portsOf();
    let asked = false;
    const { kube } = lab.portsOf();
    const journal = await lab.restart(
      {},
      {
        ...ports,
        sleep: async (milliseconds) => {
          if (!asked) {
            asked = true;
            await expect(lab.restart()).rejects.toMatchObject({
              code: "cluster-conflict",
              message: expect.stringContaining("ann (until"),
            });
            expect((await stopJournal(kube, lab.now()))?.state).toBe("stopping");
          }
          await ports.sleep(milliseconds);
        },
      },
    );
    expect(journal).toMatchObject({ state: "stopped", done: 1, waiting: 2, moving: [] });
    expect(await readJournal(kube)).toEqual(journal);
    const resumed = await lab.restart({ isResumed: true });
    expect(resumed).toMatchObject({ state: "done", done: 3, at: journal.at, epoch: 2 });
    expect([...lab.writes()]).toEqual([
      ["a", 1],
      ["b", 1],
      ["c", 1],
    ]);
  });

  it("restarts the pods of a release that was taken back, healthy or not, and no others", async () => {
    for (const name of ["a", "b", "c"]) lab.put("Deployment", name);
    await lab.settle();
    lab.state.served = "new";
    lab.state.fateOf = (pod) =>
      isNew(pod) && JSON.stringify(pod).includes('"app":"b"')
        ? { crashes: { container: "side", exitCode: 1 } }
        : { readyAfter: 1000 };
    expect(await lab.restart()).toMatchObject({ state: "failed", done: 1 });
    lab.state.served = "old";
    const journal = await lab.restart({ question: { release: "new" }, parallel: 10 });
    expect(journal).toMatchObject({ state: "done", done: 2, left: [] });
    for (const name of ["a", "b", "c"]) expect(new Set(lab.imagesOf(name))).toEqual(new Set(["side:old"]));
    expect([...lab.writes()]).toEqual([
      ["a", 2],
      ["b", 2],
    ]);
  });

  describe("with the roles of outrigger print rbac restart", () => {
    const forbiddenUnder = async (rules: readonly BoundRule[]) => {
      await lab.close();
      lab = await openRestartLab();
      lab.state.served = "sized-old";
      lab.state.nodeOf = () => "node-1";
      lab.putNode("node-1", "v1.33.1");
      for (const [index, kind] of KINDS.entries()) lab.put(kind, `w-${index}`);
      await lab.settle();
      lab.state.served = "sized-new";
      const forbidden: string[] = [];
      const authorize = rbacAuthorizer(rules, (path) => lab.api.objects.has(path));
      lab.api.authorize = (method, path, type) => {
        const message = authorize(method, path, type);
        if (message !== undefined) forbidden.push(message);
        return message;
      };
      const ports = lab.portsOf();
      try {
        // What decides about new pods is read first.
        await findInstalled(ports.kube);
        await readNamespaces(ports.kube);
        await lab.restart({ parallel: 4, question: { inPlace: [] } }, ports);
        // Native sidecars: their nodes are asked.
        lab.state.served = "mesh-old";
        await lab.restart({ parallel: 4 }, ports);
        lab.state.served = "mesh-new";
        await lab.restart({ parallel: 4, question: { inPlace: ["istio-proxy"] } }, ports);
        lab.state.served = "more";
        lab.state.fateOf = (pod) =>
          JSON.stringify(pod).includes("/more") && JSON.stringify(pod).includes('"kind":"StatefulSet"')
            ? { crashes: { container: "side", exitCode: 1 } }
            : { readyAfter: 1000 };
        await lab.restart({ parallel: 4 }, ports);
        // A StatefulSet waits for its bad pod, which has to be deleted.
        lab.state.served = "old";
        await lab.restart({ parallel: 4, question: { release: "more" } }, ports);
      } catch (error) {
        if (!(error instanceof OutriggerError)) throw error;
      }
      return forbidden;
    };
    const rulesOf = () => {
      const place = { revisions: ["default"], tags: [], probeNamespaces: [], istioNamespace: "istio-system" };
      return boundRules(buildRbac({ ...place, features: ["restart"], group: "g", name: "n" }), "g");
    };

    it("is allowed everything that it asks, and is refused without any one of the permissions", async () => {
      expect(await forbiddenUnder(rulesOf())).toEqual([]);
      const needless: string[] = [];
      for (const [what, rules] of weakerRules(rulesOf())) {
        if ((await forbiddenUnder(rules)).length === 0) needless.push(what);
      }
      expect(needless).toEqual([]);
    });
  });

  describe(`of ${WORKLOADS} workloads of every kind`, () => {
    const untouched = (index: number) => index % 5 === 4;
    beforeEach(async () => {
      for (let index = 0; index < WORKLOADS; index++) {
        const labels: JsonObject = untouched(index) ? { "sidecar.istio.io/inject": "false" } : {};
        lab.put(
          KINDS[index % 4] as "Deployment",
          `w-${String(index).padStart(3, "0")}`,
          { replicas: 1 + (index % 3) },
          labels,
        );
      }
      await lab.settle();
      lab.state.served = "new";
    });

    /** Sees to it that no more than so many are in motion, after each step of the controllers. */
    const watched = (parallel: number) => {
      const ports = lab.portsOf();
      let most = 0;
      const sleep = async (milliseconds: number) => {
        most = Math.max(most, lab.inMotion().filter(([, object]) => rolloutStatus(object).state !== "complete").length);
        await ports.sleep(milliseconds);
      };
      return { ports: { ...ports, sleep }, most: () => most, parallel };
    };

    it.runIf(LARGE.has(0))(
      "restarts each that would change once, never more at a time than asked for, and none of the others",
      async () => {
        const { ports, most } = watched(7);
        const journal = await lab.restart({ parallel: 7 }, ports);
        expect(journal).toMatchObject({ state: "done", done: WORKLOADS * 0.8, left: [] });
        expect(most()).toBeLessThanOrEqual(7);
        expect(most()).toBeGreaterThan(1);
        expect([...lab.writes().values()].every((count) => count === 1)).toBe(true);
        expect([...lab.writes().keys()].filter((name) => untouched(Number(name.slice(2))))).toEqual([]);
        expect(lab.writes().size).toBe(WORKLOADS * 0.8);
      },
    );

    it.runIf(LARGE.has(0))("stops at the first of the bad ones", async () => {
      const bad = new Set(
        Array.from({ length: WORKLOADS / 10 }, (_, at) => `w-${String((at * 37 + 11) % WORKLOADS).padStart(3, "0")}`),
      );
      lab.state.fateOf = (pod) => {
        const app = (pod as unknown as Pod).metadata?.labels?.["app"] ?? "";
        return isNew(pod) && bad.has(app) ? { crashes: { container: "side", exitCode: 1 } } : { readyAfter: 1000 };
      };
      const journal = await lab.restart({ parallel: 3 }, watched(3).ports);
      expect(journal.state).toBe("failed");
      const broken = [...lab.writes().keys()].filter((name) => bad.has(name));
      expect(broken.length).toBeLessThanOrEqual(3);
      expect(broken).toContain(journal.failure?.workload?.split("/")[2]);
      expect(lab.writes().size).toBe(journal.done + journal.moving.length);
    });
  });

  it.runIf(KILLED.has(0))(
    "comes to the same end wherever it is killed, and restarts nothing twice",
    { timeout: 300_000 },
    async () => {
      const prepare = async () => {
        for (const [index, kind] of KINDS.entries()) lab.put(kind, `w-${index}`);
        await lab.settle();
        lab.state.served = "new";
        lab.api.calls.length = 0;
      };
      await prepare();
      const whole = lab.portsOf();
      await lab.restart({ parallel: 2 }, whole);
      expect(whole.calls()).toBeGreaterThan(40);
      for (const kill of killsOf([...lab.api.calls])) {
        await lab.close();
        lab = await openRestartLab();
        await prepare();
        await expect(lab.restart({ parallel: 2 }, lab.portsOf(kill))).rejects.toThrow(Killed);
        lab.wait(61_000);
        const { ports, most } = ((inner) => {
          let seen = 0;
          const sleep = async (milliseconds: number) => {
            seen = Math.max(
              seen,
              lab.inMotion().filter(([, object]) => rolloutStatus(object).state !== "complete").length,
            );
            await inner.sleep(milliseconds);
          };
          return { ports: { ...inner, sleep }, most: () => seen };
        })(lab.portsOf());
        expect(await lab.restart({ parallel: 2, isResumed: true }, ports)).toMatchObject({ state: "done", left: [] });
        expect(most()).toBeLessThanOrEqual(2);
        expect([...lab.writes()].toSorted()).toEqual(KINDS.map((_, index) => [`w-${index}`, 1]));
        for (const [index] of KINDS.entries())
          expect(new Set(lab.imagesOf(`w-${index}`))).toEqual(new Set(["side:new"]));
      }
    },
  );
});
