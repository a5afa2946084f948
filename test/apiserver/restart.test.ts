// A restart on a real API server: what its admission would not take back is not taken down.
// More: OUTRIGGER_RANDOM_CLUSTERS=500 restarts in as many random clusters. OUTRIGGER_RANDOM_SEED names the first.
import { type JsonObject, metadataKeys } from "@outrigger/base";
import { isRunning, metadataOf } from "@outrigger/pod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { turnOf } from "../support/in-turn.ts";
import { quickRestart } from "./support/quick-restart.ts";
import { restartRandomClusters } from "./support/random-restarts.ts";
import { openRealLab, type RealLab } from "./support/real-lab.ts";

const CLUSTERS = Number(process.env["OUTRIGGER_RANDOM_CLUSTERS"] ?? 3);
const FIRST = Number(process.env["OUTRIGGER_RANDOM_SEED"] ?? 1);
const KINDS = ["StatefulSet", "Deployment", "DaemonSet"] as const;

const workload = (kind: string, namespace: string, name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace },
  spec: {
    ...(kind !== "DaemonSet" && { replicas: 1 }),
    ...(kind === "StatefulSet" && { serviceName: name }),
    ...(kind === "Deployment" && { strategy: { type: "Recreate" } }),
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "app", image: "app:1" }] } },
    ...spec,
  },
});

describe.runIf(turnOf("Commands on a real API server", 5).has(0))("outrigger restart, on a real API server", () => {
  let lab: RealLab;
  beforeAll(async () => {
    lab = await openRealLab();
    await lab.allow(["register", "check", "registration", "pods", "explain", "off", "restart"]);
    await lab.node("node-1");
    expect((await lab.run("publish")).code).toBe(0);
    const registered = await lab.register("--phase", "cluster");
    expect(registered, registered.err).toMatchObject({ code: 0 });
  });
  afterAll(() => lab?.close());

  const ready = (namespace: string, count: number) =>
    lab.until(`${count} pods of ${namespace} are ready`, async () => {
      const pods = (await lab.pods(namespace)).filter((pod) => isRunning(pod));
      return pods.length === count && pods.every((pod) => JSON.stringify(pod).includes('"phase":"Running"'));
    });
  const uidsOf = async (namespace: string) => (await lab.pods(namespace)).map((pod) => metadataOf(pod).uid).toSorted();
  const isInjected = (pod: JsonObject) => metadataOf(pod).annotations[metadataKeys.status] !== undefined;

  /** Workloads whose pods were made before the namespace asked for sidecars. */
  const fill = async (namespace: string, labels: Readonly<Record<string, string>>) => {
    await lab.namespace(namespace);
    for (const kind of KINDS) await lab.apply(workload(kind, namespace, kind.toLowerCase()));
    await ready(namespace, KINDS.length);
    await lab.namespace(namespace, { "istio-injection": "enabled", ...labels });
  };

  it("leaves every workload whose next pod Pod Security refuses, in the plan and in the act", async () => {
    await fill("secured", { "pod-security.kubernetes.io/enforce": "baseline" });
    const before = await uidsOf("secured");
    const asked = ["restart", "--cluster", "shop", "-n", "secured"];
    const planned = await lab.run(...asked, "--dry-run");
    expect(planned.out).toContain("Nothing to restart");
    for (const kind of KINDS) expect(planned.out).toContain(`secured/${kind}/${kind.toLowerCase()}`);
    const { code, out } = await lab.run(...asked, "--yes");
    expect(out).toContain("violates PodSecurity");
    expect(code).toBe(1);
    expect(await uidsOf("secured")).toEqual(before);
  });

  it("restarts those that the cluster takes", async () => {
    await fill("open", {});
    const { code, out, err } = await lab.run("restart", "--cluster", "shop", "-n", "open", "--parallel", "3", "--yes");
    expect(`${out}${err}`).toContain("3 done");
    expect(code).toBe(0);
    const pods = (await lab.pods("open")).filter((pod) => isRunning(pod));
    expect(pods.filter(isInjected)).toHaveLength(KINDS.length);
  });

  const isOfMemory = (pod: JsonObject, memory: string) =>
    isRunning(pod) && JSON.stringify(pod).includes(`"memory":"${memory}"`);

  it("shows before a promotion and a rollback what they restart and what is refused, tries pods of the release to come, and restarts", async () => {
    // The sidecar of the release to come is too large for one of them.
    for (const name of ["moved", "small"]) await fill(name, {});
    const max = { max: { memory: "2Gi" }, type: "Container" };
    await lab.apply({
      ...{ apiVersion: "v1", kind: "LimitRange", metadata: { name: "max", namespace: "small" } },
      spec: { limits: [max] },
    });
    for (const namespace of ["moved", "small"]) {
      expect(await quickRestart(lab, { namespace })).toMatchObject({ state: "done", done: KINDS.length });
    }
    const before = [await uidsOf("moved"), await uidsOf("small")];
    await lab.aws.edit("values/10-large", "global: {proxy: {resources: {limits: {memory: 4Gi} } } }\n");
    const published = await lab.run("publish", "--channel", "canary");
    expect(published, published.err).toMatchObject({ code: 0 });
    const promotion = ["promote", "canary", "stable", "--share", "50,100", "--restart", "--cluster", "shop"];
    const planned = await lab.run(...promotion, "--dry-run");
    expect(planned.code, planned.err).toBe(0);
    for (const kind of KINDS) {
      const name = `${kind}/${kind.toLowerCase()}`;
      expect(planned.out).toMatch(new RegExp(`^moved +${name} +1 +(50|100) %$`, "m"));
      const refused = `^small/${name} +the API server would not take its next pod: .*maximum memory usage`;
      expect(planned.out).toMatch(new RegExp(refused, "m"));
    }
    expect([await uidsOf("moved"), await uidsOf("small")]).toEqual(before);
    await lab.api.admin.remove("/api/v1/namespaces/small/limitranges/max");
    // It is stopped once the first pod of the share is there: what follows takes minutes.
    const promoted = lab.start([...promotion, "--yes"]);
    const large = async () => (await lab.allPods()).filter((pod) => isOfMemory(pod, "4Gi"));
    await lab.until("a pod has the new release", async () => (await large()).length > 0);
    promoted.io.stop();
    expect(await promoted.ended).toBe(1);
    expect(promoted.io.err()).toMatch(/It was stopped: run the same command again to continue/);
    const back = ["rollback", "stable", "--restart", "--cluster", "shop"];
    const asked = await lab.run(...back, "--dry-run");
    expect(asked.out, asked.err).toMatch(/^To restart, in this order: [1-9]\d* workloads?/m);
    const done = await lab.run(...back, "--yes");
    expect(done.out, done.err).toMatch(/is complete: [1-9]\d* done, 0 not begun/);
    expect(await large()).toEqual([]);
  });

  it("restarts each workload once while the API server is killed, and all of them are back", async () => {
    await lab.namespace("killed");
    const names = ["a", "b", "c"];
    for (const name of names) await lab.apply(workload("Deployment", "killed", name));
    await ready("killed", names.length);
    await lab.namespace("killed", { "istio-injection": "enabled" });
    const killed = { times: 0, again: Promise.resolve() };
    const journal = await quickRestart(lab, { namespace: "killed" }, (line) => {
      if (!line.endsWith("is restarted") || killed.times > 0) return;
      killed.times += 1;
      killed.again = lab.api.kill().then(() => lab.api.start());
    });
    await killed.again;
    expect([killed.times, journal]).toMatchObject([1, { state: "done", done: names.length, left: [] }]);
    for (const name of names) {
      const object = (await lab.api.admin.get(`/apis/apps/v1/namespaces/killed/deployments/${name}`)) as JsonObject;
      expect(metadataOf(object)).toMatchObject({ generation: 2 });
    }
    expect((await lab.pods("killed")).filter((pod) => isRunning(pod) && isInjected(pod))).toHaveLength(names.length);
  });

  it("says within seconds that a quota has no place any more, which had one when the pod was tried", async () => {
    await lab.namespace("full");
    const spec = { containers: [{ name: "app", image: "app:1" }], terminationGracePeriodSeconds: 0 };
    const template = { metadata: { labels: { app: "late" } }, spec };
    await lab.apply(workload("Deployment", "full", "late", { template }));
    await ready("full", 1);
    const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "pods", namespace: "full" } };
    await lab.apply({ ...quota, spec: { hard: { pods: "1" } } });
    await lab.until("the quota is counted", async () => {
      const { status } = (await lab.api.admin.get("/api/v1/namespaces/full/resourcequotas/pods")) ?? {};
      return JSON.stringify(status).includes('"used":{"pods":"1"}');
    });
    await lab.namespace("full", { "istio-injection": "enabled" });
    const began = Date.now();
    let taken = Promise.resolve<unknown>(undefined);
    const journal = await quickRestart(lab, { namespace: "full" }, (line) => {
      // Between the answer and the new pod, the quota shrinks.
      if (line.endsWith("is restarted")) taken = lab.apply({ ...quota, spec: { hard: { pods: "0" } } });
    });
    await taken;
    expect(journal.failure?.why).toMatch(/no new pod can be made: .*exceeded quota: pods/);
    // Long before the deadline, which is ten minutes.
    expect(Date.now() - began).toBeLessThan(300_000);
    await lab.api.admin.remove("/api/v1/namespaces/full/resourcequotas/pods");
  });

  it(`takes down no pod that cannot come back, in ${CLUSTERS} random clusters`, async () => {
    const { restarted, left, down, failures } = await restartRandomClusters(lab, CLUSTERS, FIRST);
    console.log(`${CLUSTERS} clusters: ${restarted} workloads restarted, ${left} left, ${down.length} down`, failures);
    expect(down).toEqual([]);
    expect(restarted + left).toBeGreaterThan(0);
  });

  it("creates pods as dry runs only: the policy that comes with the role refuses any other", async () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { containers: [{ name: "a", image: "a" }] },
    };
    const { kubeAs } = lab;
    await expect(kubeAs.create("/api/v1/namespaces/default/pods", pod)).rejects.toThrow("as dry runs only");
    expect(await kubeAs.createDryRun("/api/v1/namespaces/default/pods", pod)).toBeDefined();
  });
});
