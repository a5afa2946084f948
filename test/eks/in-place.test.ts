// New images for the pods that run, against an API server with controllers: nothing but images and the record of a pod is written.
import { objectOf } from "@outrigger/base";
import { injectPod, readStatus } from "@outrigger/injector";
import { admittedForm } from "@outrigger/pod";
import { planRestart, readRunning } from "@outrigger/rollouts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { turnOf } from "../support/in-turn.ts";
import { Killed, openRestartLab, type RestartLab } from "./restart-lab.ts";
import { killsOf } from "./restart-suite.ts";
import { isNew } from "./rollout-lab.ts";

const KINDS = ["Deployment", "StatefulSet", "DaemonSet", "Rollout"] as const;

// The other shares are in restart.test.ts.
const LARGE = turnOf("Restarts of many workloads", 2);
const KILLED = turnOf("Restarts killed", 2);

describe("runRestart() in place", { timeout: 240_000 }, () => {
  let lab: RestartLab;
  beforeEach(async () => {
    lab = await openRestartLab();
  });
  afterEach(() => lab.close());
  const inPlace = (request: Parameters<RestartLab["restart"]>[0] = {}, ports?: Parameters<RestartLab["restart"]>[1]) =>
    lab.restart({ question: { inPlace: [] }, ...request }, ports);
  /** Returns the uids of the pods, which may not change when a pod is changed in place. */
  const identities = () => lab.podsOf("").map(({ metadata }) => metadata?.uid);
  const imagesOf = (name: string) =>
    lab
      .podsOf(name)
      .map(({ spec }) =>
        Object.fromEntries(
          [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map((one) => [one.name, one.image]),
        ),
      );

  it.each(KINDS)("gives the pods of a %s new images, says so in their records, and restarts nothing", async (kind) => {
    lab.put(kind, "web");
    lab.put(kind, "plain", {}, { "sidecar.istio.io/inject": "false" });
    await lab.settle();
    const before = identities();
    lab.state.served = "new";
    expect(await inPlace()).toMatchObject({ state: "done", done: 1, left: [], moving: [] });
    expect(identities()).toEqual(before);
    expect(lab.writes().size).toBe(0);
    expect(new Set(lab.imagesOf("web"))).toEqual(new Set(["side:new"]));
    for (const pod of lab.podsOf("web")) expect(readStatus(pod)?.madeBy?.release).toBe("new");
    expect([...lab.changes().values()]).toEqual(lab.podsOf("web").map(() => 1));
    expect(lab.lines).toEqual([`shop/${kind}/web is changed in place`, `shop/${kind}/web is back`]);
    const { kube, ...ports } = lab.portsOf();
    expect((await readRunning(kube, ports)).states).toEqual({
      current: lab.podsOf("web").length,
      plain: lab.podsOf("plain").length,
    });
    expect(await inPlace()).toMatchObject({ done: 0 });
  });

  it("leaves a pod as another injection of it would: nothing is left to change", async () => {
    lab.put("Deployment", "web");
    await lab.settle();
    lab.state.served = "new";
    await inPlace();
    const [served] = lab.portsOf().servedFor({ metadata: { namespace: "shop" } });
    for (const pod of lab.podsOf("web")) {
      const request = { pod, namespace: "shop", parameters: {}, cluster: {}, release: "new" };
      const result = injectPod(served?.injector as NonNullable<typeof served>["injector"], request);
      // The API server mounts the token of the service account into what it injects, again.
      expect(result.injected && admittedForm(result.pod, { namespace: "shop" })).toEqual(pod);
    }
  });

  it("changes one pod at a time where the workload's strategy says no more, and waits until it is ready", async () => {
    lab.put("DaemonSet", "agents");
    await lab.settle();
    lab.state.served = "new";
    const ports = lab.portsOf();
    const seen: number[] = [];
    const sleep = async (milliseconds: number) => {
      await ports.sleep(milliseconds);
      seen.push(
        lab.podsOf("agents").filter((pod) => !JSON.stringify(pod).includes('"type":"Ready","status":"True"')).length,
      );
    };
    expect(await inPlace({}, { ...ports, sleep })).toMatchObject({ state: "done", done: 1 });
    expect(Math.max(...seen)).toBe(1);
    expect(lab.podsOf("agents")).toHaveLength(3);
  });

  it("waits for a budget, and leaves what it never allows", async () => {
    for (const name of ["a", "b"]) lab.put("Deployment", name, { replicas: 4 });
    lab.putBudget("a", { app: "a" }, { minAvailable: "100%" });
    lab.putBudget("b", { app: "b" });
    await lab.settle();
    lab.state.served = "new";
    const { left, done } = await inPlace();
    expect([done, left]).toEqual([
      1,
      [{ workload: "shop/Deployment/a", why: "its PodDisruptionBudget allows no disruption" }],
    ]);
  });

  it("takes back an image that a user wrote into a running pod: its record names the release, but it does not run it", async () => {
    lab.put("Deployment", "web");
    await lab.settle();
    const [path = ""] = [...lab.api.objects.keys()].filter((place) => place.includes("/pods/web"));
    lab.api.edit(path, "kubectl-set", (pod) => JSON.parse(JSON.stringify(pod).replaceAll("side:old", "side:hotfix")));
    await lab.settle();
    const { kube, ...ports } = lab.portsOf();
    const { states, changes } = await readRunning(kube, ports);
    expect(states).toEqual({ current: 1, outdated: 1 });
    expect(changes).toMatchObject([{ field: "containers[side].image", running: "side:hotfix", now: "side:old" }]);
    expect(await inPlace()).toMatchObject({ state: "done", done: 1 });
    expect((await readRunning(kube, ports)).states).toEqual({ current: 2 });
    expect(new Set(lab.imagesOf("web"))).toEqual(new Set(["side:old"]));
  });

  it("leaves what only a restart brings, with the reason", async () => {
    lab.put("Deployment", "web");
    lab.put("StatefulSet", "paused", { updateStrategy: { type: "OnDelete" } });
    await lab.settle();
    lab.state.served = "more";
    expect((await inPlace()).left).toEqual([
      {
        workload: "shop/Deployment/web",
        why: "only a restart brings its change: more than images and resources differ: containers[side].workingDir",
      },
      expect.objectContaining({ workload: "shop/StatefulSet/paused" }),
    ]);
    expect(lab.changes().size).toBe(0);
  });

  it("leaves an image that another webhook has changed: it would be asked again about a new pod only", async () => {
    lab.put("Deployment", "web");
    await lab.settle();
    for (const [path, pod] of [...lab.api.objects]) {
      if (path.includes("/pods/"))
        lab.api.put(path, JSON.parse(JSON.stringify(pod).replaceAll("side:old", "mirror/side:old")));
    }
    await lab.settle();
    lab.state.served = "new";
    expect((await inPlace()).left).toEqual([
      {
        workload: "shop/Deployment/web",
        why: expect.stringContaining("another webhook has changed the image of side"),
      },
    ]);
    expect(lab.changes().size).toBe(0);
  });

  it("leaves the proxy, which carries traffic, unless it is named; a native sidecar it changes", async () => {
    lab.state.served = "mesh-old";
    lab.put("Deployment", "web");
    await lab.settle();
    lab.state.served = "mesh-new";
    expect((await inPlace()).left).toEqual([
      {
        workload: "shop/Deployment/web",
        why: "its container istio-proxy carries its traffic: restart it, or name the container (--container istio-proxy)",
      },
    ]);
    expect(lab.changes().size).toBe(0);
    expect(await inPlace({ question: { inPlace: ["istio-proxy"] } })).toMatchObject({ done: 1, left: [] });
    const images = {
      "istio-init": "init:1",
      ship: "ship:new",
      "istio-proxy": "proxy:new",
      side: "side:new",
      app: "app:1",
    };
    expect(imagesOf("web")).toEqual([images, images]);
  });

  it("leaves a native sidecar on a node whose kubelet would not start it again, and finds one that runs an old image", async () => {
    lab.state.served = "mesh-old";
    let made = 0;
    // That of the pod by which the plan judges is new enough.
    lab.state.nodeOf = () => (made++ === 0 ? "node-0" : "node-1");
    lab.putNode("node-0", "v1.33.2");
    lab.putNode("node-1", "v1.31.9-eks-5d632ec");
    lab.state.fateOf = () => ({ readyAfter: 1000, keepsSidecars: true });
    lab.put("Deployment", "web");
    await lab.settle();
    lab.state.served = "mesh-new";
    const inProxy = { question: { inPlace: ["istio-proxy"] } };
    const { kube, ...ports } = lab.portsOf();
    const left = [
      {
        workload: "shop/Deployment/web",
        why: expect.stringMatching(
          /^pod web-\S+: the kubelet of its node node-1 is v1\.31\.9-eks-5d632ec, and starts no native sidecar again for a new image \(1\.32 does\): restart it$/,
        ),
      },
    ];
    expect(await planRestart(kube, ports, inProxy.question)).toEqual({ restart: [], left });
    expect((await inPlace(inProxy)).left).toEqual(left);
    expect(lab.changes().size).toBe(0);
    // Written all the same, as an older version of this tool did: the record is the new one, and what runs is not.
    lab.putNode("node-1", "v1.33.1");
    const journal = await inPlace(inProxy);
    expect(journal.failure?.why).toMatch(/^pod web-\S+, container ship: its node still runs ship:old after 600 s$/);
    const { states, changes } = await readRunning(kube, ports);
    expect(states).toEqual({ outdated: 2 });
    expect(changes).toContainEqual(
      expect.objectContaining({ field: "initContainers[ship].image", running: "ship:old", now: "ship:new" }),
    );
    lab.state.fateOf = () => ({ readyAfter: 1000 });
    await lab.settle();
    expect((await readRunning(kube, ports)).states).toEqual({ current: 1, outdated: 1 });
  });

  it.each([
    ["crashes", { crashes: { container: "side", exitCode: 1 } }, "container side: CrashLoopBackOff, exit code 1"],
    ["cannot be pulled", { unpulled: "side" }, "container side: ImagePullBackOff"],
    ["is never ready", {}, "after 600 s"],
  ])("stops at the first pod whose new image %s: one pod of one workload has it", async (_what, fate, why) => {
    for (const name of ["a", "b"]) lab.put("Deployment", name);
    await lab.settle();
    lab.state.served = "new";
    lab.state.fateOf = (pod) => (isNew(pod) ? fate : { readyAfter: 1000 });
    const journal = await inPlace();
    expect(journal).toMatchObject({ state: "failed", done: 0, moving: ["shop/Deployment/a"], waiting: 1 });
    expect(journal.failure?.why).toContain(why);
    expect(lab.changes().size).toBe(1);
    // What was changed is changed back by the same command, once the release was taken back.
    lab.state.served = "old";
    expect(await inPlace({ isResumed: true })).toMatchObject({ state: "done", left: [] });
    expect(new Set([...lab.imagesOf("a"), ...lab.imagesOf("b")])).toEqual(new Set(["side:old"]));
    expect([...lab.changes().values()]).toEqual([2]);
  });

  it("changes nothing more when another release is served by now", async () => {
    lab.put("DaemonSet", "agents");
    await lab.settle();
    lab.state.served = "new";
    const look = async () => (lab.changes().size > 0 ? "another release is served" : undefined);
    expect(await inPlace({}, { ...lab.portsOf(), look })).toMatchObject({
      state: "failed",
      failure: { why: "another release is served" },
    });
    expect(lab.changes().size).toBe(1);
  });

  it("stops between two pods when it is asked to, and is continued", async () => {
    lab.put("DaemonSet", "agents");
    await lab.settle();
    lab.state.served = "new";
    const controller = new AbortController();
    const ports = lab.portsOf();
    const report = () => controller.abort();
    expect(await inPlace({}, { ...ports, report, signal: controller.signal })).toMatchObject({
      state: "stopped",
      done: 0,
      moving: [],
    });
    const changed = lab.changes().size;
    expect(changed).toBeLessThan(3);
    expect(await inPlace({ isResumed: true })).toMatchObject({ state: "done", done: 1 });
    expect([...lab.changes().values()]).toEqual([1, 1, 1]);
  });

  it("says what an API server refuses, and stops", async () => {
    lab.put("Deployment", "web");
    await lab.settle();
    lab.state.served = "new";
    lab.api.faults.push({
      method: "PATCH",
      path: "/pods/",
      status: 422,
      message: "images of this registry are not allowed",
    });
    const journal = await inPlace();
    expect(journal).toMatchObject({ state: "failed", failure: { workload: "shop/Deployment/web" } });
    expect(journal.failure?.why).toMatch(/^pod web-\S+ cannot be changed: .*images of this registry are not allowed/);
  });

  it.runIf(KILLED.has(1))("comes to the same end wherever it is killed, and changes no pod twice", async () => {
    const prepare = async () => {
      for (const [index, kind] of KINDS.entries()) lab.put(kind, `w-${index}`);
      await lab.settle();
      lab.state.served = "new";
      lab.api.calls.length = 0;
    };
    await prepare();
    const whole = lab.portsOf();
    await inPlace({ parallel: 2, bake: 0 }, whole);
    expect(whole.calls()).toBeGreaterThan(40);
    for (const kill of killsOf([...lab.api.calls])) {
      const { call } = kill;
      await lab.close();
      lab = await openRestartLab();
      await prepare();
      const before = identities();
      await expect(inPlace({ parallel: 2, bake: 0 }, lab.portsOf(kill))).rejects.toThrow(Killed);
      lab.wait(61_000);
      expect(await inPlace({ parallel: 2, bake: 0, isResumed: true }), `${call}`).toMatchObject({
        state: "done",
        left: [],
      });
      expect(
        [...lab.changes().values()].every((count) => count === 1),
        `${call}: ${[...lab.changes()]}`,
      ).toBe(true);
      expect(identities()).toEqual(before);
      for (const [index] of KINDS.entries()) expect(new Set(lab.imagesOf(`w-${index}`))).toEqual(new Set(["side:new"]));
    }
  });

  it.runIf(LARGE.has(1))("never has more workloads under way than asked for, of 60 of every kind", async () => {
    for (let index = 0; index < 60; index++) lab.put(KINDS[index % 4] as "Deployment", `w-${index}`);
    await lab.settle();
    lab.state.served = "new";
    const ports = lab.portsOf();
    let most = 0;
    const sleep = async (milliseconds: number) => {
      const under = lab.podsOf("w").filter((pod) => !JSON.stringify(pod).includes('"type":"Ready","status":"True"'));
      most = Math.max(most, new Set(under.map(({ metadata }) => objectOf(metadata?.labels as unknown)["app"])).size);
      await ports.sleep(milliseconds);
    };
    expect(await inPlace({ parallel: 5 }, { ...ports, sleep })).toMatchObject({ done: 60, left: [] });
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(5);
  });
});
