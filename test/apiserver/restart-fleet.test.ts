// A restart of three real clusters, one of which fails: those before it are done, those behind it are as they were, and it goes on where it
// stopped.
import { type JsonObject, metadataKeys } from "@outrigger/base";
import { isRunning, metadataOf } from "@outrigger/pod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { turnOf } from "../support/in-turn.ts";
import { openRealLab, type RealLab } from "./support/real-lab.ts";

type Cluster = Awaited<ReturnType<RealLab["addCluster"]>>;

const NAMES = ["shop", "pay", "stock"] as const;
/** Each that is restarted is watched for a minute: only the cluster that fails has one behind the first. */
const WORKLOADS = { shop: ["one"], pay: ["one", "two"], stock: ["one"] } as const;

const deployment = (name: string): JsonObject => ({
  ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace: "web" } },
  spec: {
    replicas: 1,
    // What crashes is given up after it, and what is well is ready long before: by default, it would be ten minutes.
    progressDeadlineSeconds: 60,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "app", image: "app:1" }] } },
  },
});

const AGENT = `spec:
  containers:
  - name: agent
    image: registry.example/agent:1
    {{#if (eq metadata.labels.tier "batch")}}
    args: [--once]
    {{/if}}
`;

interface Compared {
  readonly cluster: string;
  readonly pods: number;
}

const isInjected = (pod: JsonObject) => metadataOf(pod).annotations[metadataKeys.status] !== undefined;

describe.runIf(turnOf("Commands on a real API server", 5).has(2))("outrigger restart of real clusters", () => {
  let lab: RealLab;
  let clusters: Readonly<Record<(typeof NAMES)[number], Cluster>>;
  beforeAll(async () => {
    lab = await openRealLab();
    const [pay, stock] = await Promise.all([lab.addCluster("pay"), lab.addCluster("stock")]);
    clusters = { shop: lab, pay, stock };
    expect((await lab.run("publish")).code).toBe(0);
    for (const name of NAMES) {
      const cluster = clusters[name];
      await cluster.allow(["register", "check", "registration", "pods", "restart"]);
      await cluster.node("node-1");
      const registered = await lab.register("--cluster", name, "--phase", "cluster");
      expect(registered, registered.err).toMatchObject({ code: 0 });
      await cluster.namespace("web");
      for (const each of WORKLOADS[name]) await cluster.apply(deployment(each));
      await lab.until(
        `the pods of ${name} are ready`,
        async () => (await running(name)).length === WORKLOADS[name].length,
      );
      await cluster.namespace("web", { "istio-injection": "enabled" });
    }
  });
  afterAll(() => lab?.close());

  const running = async (name: (typeof NAMES)[number]) =>
    (await clusters[name].pods("web")).filter((pod) => isRunning(pod) && JSON.stringify(pod).includes('"Running"'));
  const uidsOf = async (name: (typeof NAMES)[number]) =>
    (await running(name)).map((pod) => metadataOf(pod).uid).toSorted();

  it("ends at the cluster that fails, and what is behind it is as it was", async () => {
    const before = { pay: await uidsOf("pay"), stock: await uidsOf("stock") };
    const seen = clusters.stock.api.requests().length;
    clusters.pay.kubelet.fateOf = (pod) => (isInjected(pod) ? "crashing" : "ready");
    const { code, out, err } = await lab.run("restart", "--clusters", NAMES.join(","), "-n", "web", "--yes");
    const rows = out.split("\n").map((line) => line.split(/ {2,}/));
    const rowOf = (name: string) => rows.find(([first]) => first === name) ?? [];
    expect(code, `${out}${err}`).toBe(1);
    expect(rowOf("shop").slice(1, 3), out).toEqual(["1", "0"]);
    expect(rowOf("stock").slice(1, 3), out).toEqual(["-", "-"]);
    expect((await running("shop")).filter(isInjected)).toHaveLength(WORKLOADS.shop.length);
    // Nothing was asked to change there, and the pods are those that there were.
    expect(await uidsOf("stock")).toEqual(before.stock);
    const writes = clusters.stock.api.requests().slice(seen);
    expect(writes.filter((line) => !/^(get|list|watch) /.test(line))).toEqual([]);
    // Of the workloads in the cluster that fails, the first is the last.
    expect((await uidsOf("pay")).filter((uid) => before.pay.includes(uid)).length).toBeGreaterThan(0);
    expect(err).toContain("outrigger restart --clusters pay,stock --namespace web --yes");
  });

  it("goes on where it stopped, once that cluster is well, and restarts nothing twice", async () => {
    const done = await uidsOf("shop");
    clusters.pay.kubelet.fateOf = () => "ready";
    const { api } = clusters.pay;
    for (const pod of (await running("pay")).filter(isInjected))
      await api.admin.remove(`/api/v1/namespaces/web/pods/${metadataOf(pod).name}`);
    await lab.until("the pods of pay are ready", async () => {
      const pods = await running("pay");
      // The workload that failed has its new pod, and no other.
      const isBack = pods.length === WORKLOADS.pay.length && pods.filter(isInjected).length === 1;
      return isBack && !JSON.stringify(pods).includes("CrashLoopBackOff");
    });
    const { code, out, err } = await lab.run("restart", "--clusters", "pay,stock", "--namespace", "web", "--yes");
    expect(code, `${out}${err}`).toBe(0);
    expect(await uidsOf("shop")).toEqual(done);
    for (const name of NAMES) {
      const pods = await running(name);
      expect(pods.filter(isInjected).length, name).toBe(WORKLOADS[name].length);
    }
  });

  it("tells of all what an edit changes, and takes samples of what they run, with the roles for pods alone", async () => {
    const { metadata, spec, ...kind } = deployment("batch") as Readonly<Record<string, JsonObject>>;
    const [template, replicas] = [spec?.["template"] as JsonObject, 1];
    const labels = { app: "batch", tier: "batch" };
    await clusters.pay.apply({
      ...kind,
      metadata,
      spec: { ...spec, replicas, template: { ...template, metadata: { labels } } },
    });
    await lab.until(
      "the third pod of pay is ready",
      async () => (await running("pay")).length === WORKLOADS.pay.length + 1,
    );
    for (const cluster of Object.values(clusters)) await cluster.onlyAllow(["pods"]);
    lab.write("mine/config.yaml", "defaultTemplates: [sidecar, agent]\n");
    lab.write("mine/templates/agent.hbs", AGENT);
    const diff = await lab.run("diff", "stable", "./mine", "--clusters", NAMES.join(","), "-o", "json");
    expect(diff.err).toBe("5 workloads of 3 clusters would come out differently\n");
    const { clusters: compared, leftOut } = JSON.parse(diff.out);
    expect(leftOut).toEqual([]);
    expect(compared.map(({ cluster, pods }: Compared) => [cluster, pods])).toEqual([
      ["shop", 1],
      ["pay", 3],
      ["stock", 1],
    ]);
    const samples = await lab.run("samples", "mine", "--clusters", NAMES.join(","));
    expect([samples.code, samples.err]).toEqual([0, ""]);
    expect(samples.out).toContain("from web/Deployment/batch (1 pod in 1 workload)");
    expect(await lab.run("lint", "mine", "--strict")).toMatchObject({ code: 0 });
  });

  it("reads the pods of what a ring takes next, with the roles for looking alone, and says which cluster was away", async () => {
    expect((await lab.run("promote", "stable", "ring-2")).code).toBe(0);
    expect((await lab.run("channel", "follow", "ring-2", "stable", "--after", "1d")).code).toBe(0);
    await lab.aws.edit("values/10-mine", "global: {hub: next}\n");
    expect((await lab.run("publish")).code).toBe(0);
    clusters.pay.kubelet.fateOf = (pod) => (JSON.stringify(pod).includes("next/") ? "crashing" : "ready");
    const before = (await running("pay")).length;
    const next = ["next-1", "next-2", "next-3", "next-4"];
    for (const name of next) await clusters.pay.apply(deployment(name));
    const areMade = async () => (await running("pay")).length === before + next.length;
    await lab.until("the new pods of pay are made", areMade);
    for (const cluster of Object.values(clusters)) await cluster.onlyAllow(["pods", "explain"]);
    const status = ["rollout", "status", "--rings", "--all"];
    const worse = await lab.run(...status);
    const few = "4 of 4 workloads are not well, and too few others (3) have another release to compare with";
    expect([worse.code, worse.err]).toEqual([1, expect.stringContaining(few)]);
    await clusters.shop.api.kill();
    const away = await lab.run(...status);
    const both = new RegExp(`${few.replaceAll(/[()]/g, "\\$&")}.*; The pods of shop could not be read\n$`);
    expect([away.code, away.err]).toEqual([3, expect.stringMatching(both)]);
    expect(away.out).toMatch(/^stock +stable +\S+ +no pod has its release$/m);
    await clusters.shop.api.start();
  });
});
