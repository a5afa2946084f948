// New CPU and memory for the containers of pods that run, against an API server with the rules of the subresource `resize`.
import { type JsonObject, jsonEqual, objectOf, objectsOf } from "@outrigger/base";
import { injectPod, readStatus } from "@outrigger/injector";
import { admittedForm, type Pod } from "@outrigger/pod";
import { readRunning } from "@outrigger/rollouts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Killed, openRestartLab, type RestartLab } from "./restart-lab.ts";
import { killsOf } from "./restart-suite.ts";

const KINDS = ["Deployment", "StatefulSet", "DaemonSet", "Rollout"] as const;
const OLD = { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "128Mi" } };
const MORE = { requests: { cpu: "200m", memory: "256Mi" }, limits: { memory: "256Mi" } };

describe("runRestart() in place, of resources", { timeout: 240_000 }, () => {
  let lab: RestartLab;
  const prepare = async (kinds: readonly (typeof KINDS)[number][] = ["Deployment"], served = "sized-new") => {
    lab.state.served = "sized-old";
    for (const [index, kind] of kinds.entries()) lab.put(kind, `w-${index}`);
    await lab.settle();
    lab.state.served = served;
    lab.api.calls.length = 0;
  };
  beforeEach(async () => {
    lab = await openRestartLab();
  });
  afterEach(() => lab.close());
  const inPlace = (request: Parameters<RestartLab["restart"]>[0] = {}, ports?: Parameters<RestartLab["restart"]>[1]) =>
    lab.restart({ question: { inPlace: [] }, ...request }, ports);
  const identities = () => lab.podsOf("w-").map(({ metadata }) => metadata?.uid);
  const sideOf = (pod: Pod) => pod.spec?.containers?.find(({ name }) => name === "side");
  const resources = () => lab.podsOf("w-").map((pod) => sideOf(pod)?.resources);
  const statusOf = (pod: Pod) =>
    objectsOf(objectOf((pod as unknown as JsonObject)["status"])["containerStatuses"]).find(
      ({ name }) => name === "side",
    );
  const states = async () => {
    const { kube, ...ports } = lab.portsOf();
    return (await readRunning(kube, ports)).states;
  };
  const all = (value: unknown) => lab.podsOf("w-").map(() => value);

  it.each(KINDS)("gives the pods of a %s new images and resources, and restarts no pod", async (kind) => {
    await prepare([kind]);
    const before = identities();
    expect(await inPlace()).toMatchObject({ state: "done", done: 1, left: [] });
    expect(identities()).toEqual(before);
    expect(resources()).toEqual(all(MORE));
    expect(new Set(lab.imagesOf("w-0"))).toEqual(new Set(["side:new"]));
    expect([...lab.changes().values()]).toEqual([...all(1), ...all(1)]);
    expect(await states()).toEqual({ current: before.length });
    expect(await inPlace()).toMatchObject({ done: 0 });
    const [served] = lab.portsOf().servedFor({ metadata: { namespace: "shop" } });
    for (const pod of lab.podsOf("w-")) {
      const request = { pod, namespace: "shop", parameters: {}, cluster: {}, release: "sized-new" };
      const result = injectPod(served?.injector as NonNullable<typeof served>["injector"], request);
      // The API server mounts the token of the service account into what it injects, again.
      expect(result.injected && admittedForm(result.pod, { namespace: "shop" })).toEqual(pod);
    }
  });

  it("restarts no container where only resources differ", async () => {
    await prepare(["Deployment"], "sized-more");
    expect(await inPlace()).toMatchObject({ state: "done", done: 1, left: [] });
    expect(resources()).toEqual(all(MORE));
    expect(lab.podsOf("w-").map((pod) => statusOf(pod)?.["restartCount"])).toEqual(all(0));
    expect(await states()).toEqual({ current: 2 });
  });

  it("names the release in the record of a pod once its node has given it the resources", async () => {
    await prepare();
    lab.state.fateOf = () => ({ readyAfter: 1000, resize: 9000 });
    const ports = lab.portsOf();
    let waited = 0;
    const sleep = async (milliseconds: number) => {
      await ports.sleep(milliseconds);
      for (const pod of lab.podsOf("w-")) {
        const isWritten = sideOf(pod)?.resources?.requests?.["cpu"] === "200m";
        const isGiven = jsonEqual(statusOf(pod)?.["resources"] ?? {}, MORE);
        if (isWritten && !isGiven) waited++;
        if (readStatus(pod)?.madeBy?.release === "sized-new") expect(isGiven).toBe(true);
      }
    };
    expect(await inPlace({}, { ...ports, sleep })).toMatchObject({ state: "done", done: 1 });
    expect(waited).toBeGreaterThan(2);
  });

  it.each([
    ["Infeasible", /^pod w-0-\S+: its node cannot give it the resources: Node didn't have enough capacity/],
    ["Deferred", /^pod w-0-\S+: its node has not given it the resources after 600 s$/],
  ] as const)("leaves a workload whose node says %s, and a restart replaces its pods", async (resize, why) => {
    await prepare();
    lab.state.fateOf = () => ({ readyAfter: 1000, resize });
    const { state, left, done } = await inPlace();
    expect([state, done, left]).toEqual([
      "done",
      0,
      [{ workload: "shop/Deployment/w-0", why: expect.stringMatching(why) }],
    ]);
    expect(lab.podsOf("w-").map((pod) => readStatus(pod)?.madeBy?.release)).toEqual(all("sized-old"));
    expect(await states()).toEqual({ outdated: 2 });
    expect(await lab.restart()).toMatchObject({ state: "done", done: 1 });
    expect(await states()).toEqual({ current: 2 });
  });

  it("takes resources back that a pod was to have, once the release was taken back: its record never named it", async () => {
    await prepare(["Deployment"], "sized-cpu");
    lab.state.fateOf = () => ({ readyAfter: 1000, resize: "Deferred" });
    expect((await inPlace()).left).toHaveLength(1);
    lab.state.fateOf = () => ({ readyAfter: 1000 });
    lab.state.served = "sized-old";
    const { kube, ...ports } = lab.portsOf();
    const { states: found, changes } = await readRunning(kube, ports);
    expect(found).toEqual({ outdated: 1, current: 1 });
    expect(changes).toMatchObject([{ field: "containers[side].resources.requests.cpu", running: "200m", now: "100m" }]);
    expect(await inPlace()).toMatchObject({ state: "done", done: 1, left: [] });
    expect(resources()).toEqual(all(OLD));
    expect(await states()).toEqual({ current: 2 });
  });

  it("takes what others have resized for no change of the release, in the same container too", async () => {
    await prepare(["Deployment"], "sized-cpu");
    await inPlace();
    for (const [path, pod] of [...lab.api.objects].filter(([place]) => place.includes("/pods/w-"))) {
      const spec = { containers: [{ name: "side", resources: { requests: { cpu: "300m" } } }] };
      const { resourceVersion = "" } = objectOf(pod["metadata"]);
      const body = JSON.stringify({ metadata: { resourceVersion }, spec });
      const contentType = "application/strategic-merge-patch+json";
      const sent = { method: "PATCH", path: `${path}/resize?fieldManager=vpa`, body, contentType };
      expect((await lab.api.direct(sent)).status).toBe(200);
    }
    expect(await states()).toEqual({ current: 2 });
  });

  it("leaves what the API server refuses: less memory, which 1.33 does not take from a container that runs", async () => {
    await prepare(["Deployment"], "sized-new");
    await inPlace();
    lab.state.served = "sized-old";
    const { state, left } = await inPlace();
    expect([state, left]).toEqual([
      "done",
      [
        {
          workload: "shop/Deployment/w-0",
          why: expect.stringMatching(/^pod w-0-\S+ cannot be resized: .*memory limits cannot be decreased/),
        },
      ],
    ]);
    expect(resources()).toEqual(all(MORE));
    expect(await states()).toEqual({ outdated: 2 });
  });

  it("leaves a pod whose quality of service would be another one", async () => {
    lab.state.served = "old";
    lab.put("Deployment", "w-0");
    await lab.settle();
    lab.state.served = "sized-more";
    expect((await inPlace()).left).toEqual([
      { workload: "shop/Deployment/w-0", why: expect.stringContaining("Pod QOS Class may not change") },
    ]);
    expect(resources()).toEqual(all({}));
  });

  it("leaves resources where the API server does not have the subresource, and says so before it begins", async () => {
    await prepare();
    lab.api.unserved.add("pods/resize");
    const left = [
      {
        workload: "shop/Deployment/w-0",
        why: "only a restart brings its change: the API server does not resize running pods (Kubernetes 1.33 does)",
      },
    ];
    expect((await inPlace()).left).toEqual(left);
    expect(lab.changes().size).toBe(0);
  });

  it("leaves resources that others have changed", async () => {
    await prepare();
    for (const [path] of [...lab.api.objects].filter(([place]) => place.includes("/pods/w-"))) {
      lab.api.edit(path, "vpa", (pod) => JSON.parse(JSON.stringify(pod).replaceAll("100m", "150m")));
    }
    expect((await inPlace()).left).toEqual([
      {
        workload: "shop/Deployment/w-0",
        why: "only a restart brings its change: others have changed the resources of side",
      },
    ]);
    expect(lab.changes().size).toBe(0);
  });

  it("takes resources away by a restart only", async () => {
    await prepare(["Deployment"], "new");
    expect((await inPlace()).left).toEqual([
      {
        workload: "shop/Deployment/w-0",
        why: expect.stringMatching(/^only a restart brings its change: .* of side are taken away$/),
      },
    ]);
    expect(resources()).toEqual(all(OLD));
  });

  it("comes to the same end wherever it is killed, and writes nothing twice", async () => {
    const kinds = KINDS.slice(0, 2);
    await prepare(kinds);
    const whole = lab.portsOf();
    await inPlace({ parallel: 2 }, whole);
    expect(whole.calls()).toBeGreaterThan(30);
    for (const kill of killsOf([...lab.api.calls])) {
      const { call } = kill;
      await lab.close();
      lab = await openRestartLab();
      await prepare(kinds);
      const before = identities();
      await expect(inPlace({ parallel: 2 }, lab.portsOf(kill))).rejects.toThrow(Killed);
      lab.wait(61_000);
      expect(await inPlace({ parallel: 2, isResumed: true }), `${call}`).toMatchObject({ state: "done", left: [] });
      expect(
        [...lab.changes()].filter(([, count]) => count !== 1),
        `${call}`,
      ).toEqual([]);
      expect(identities()).toEqual(before);
      expect(resources()).toEqual(all(MORE));
      expect(await states()).toEqual({ current: before.length });
    }
  });
});
