import { OutriggerError } from "@outrigger/base";
import { digestOfToken, type KubeClient, objectsToApply } from "@outrigger/cluster";
import { compileRelease, type Injector } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import type { ChannelRecord } from "@outrigger/publisher";
import { beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import type { Deployment } from "../connect/deployment.ts";
import { judgeCluster, podEvidence, type Serving, servingOf } from "./running-cluster.ts";

const [TOKEN, OTHER] = ["t".repeat(43), "o".repeat(43)] as const;
const webhooksOf = (deployment: string, token: string, namespaces?: readonly string[]) =>
  objectsToApply(
    deployment,
    {
      url: "https://hook.test",
      revision: "default",
      ...(namespaces === undefined ? { phase: "cluster" } : { phase: "namespace", namespaces }),
    },
    token,
  );

/** A cluster that has these objects, and answers no write. */
function kubeWith(webhooks: readonly object[], pods: readonly object[] = [], journal?: object): KubeClient {
  const lists: Readonly<Record<string, readonly object[]>> = {
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations": webhooks,
    "/api/v1/namespaces": ["shop", "till"].map((name) => ({
      metadata: { name, labels: name === "shop" ? { "istio-injection": "enabled" } : {} },
    })),
  };
  return {
    name: "eks",
    async *list(path: string) {
      yield* lists[path] ?? [];
    },
    async *pods() {
      for (const pod of pods) yield { ...pod, whole: () => pod };
    },
    get: async () => journal && { metadata: {}, data: { restart: JSON.stringify(journal) } },
  } as unknown as KubeClient;
}

const pod = (namespace = "shop"): Pod => ({
  metadata: { name: "web-1", namespace },
  spec: { containers: [{ name: "app", image: "app" }] },
});

describe("judgeCluster()", () => {
  let aws: ReturnType<typeof fakeAws>;
  let deployment: Deployment;
  let serving: () => Serving;
  const record = (token: string) => ({
    revisions: { default: "stable" },
    arn: "arn:aws:eks:eu-west-1:111122223333:cluster/shop",
    tokens: [{ sha256: digestOfToken(token), created: "2026-01-01T00:00:00Z" }],
  });
  const cause = { by: "ann", why: "" };
  let publisher: Pick<Awaited<ReturnType<(typeof aws)["connect"]>>, "askPublisher">;
  beforeEach(async () => {
    aws = fakeAws();
    const connection = await aws.connect({ layout: aws.layout } as never);
    publisher = connection;
    deployment = { ...connection, target: { stage: "dev", layout: aws.layout } } as unknown as Deployment;
    serving = () => servingOf(deployment, fakeIo());
  });
  const publish = () => publisher.askPublisher({ action: "publish", cause });
  const register = (cluster = "shop", token: string = TOKEN) =>
    publisher.askPublisher({ action: "put-cluster", cluster, record: record(token), cause });
  const releaseOf = (channel: string) =>
    JSON.parse(aws.store.values()[aws.layout.channel(channel)] as string).release as string;

  it("finds the registration by the token of the webhooks, and what serves which pod", async () => {
    await publish();
    await register();
    const cluster = await judgeCluster(serving(), kubeWith(webhooksOf("dev", TOKEN)), undefined);
    const stable = releaseOf("stable");
    expect([cluster.name, cluster.unjudged]).toEqual(["shop", undefined]);
    expect(cluster.servedFor(pod()).map(({ release, channel }) => [release, channel])).toEqual([[stable, "stable"]]);
    expect(cluster.servedFor(pod("till"))).toEqual([]);
    expect(cluster.servedRelease(stable)).toEqual(expect.objectContaining({ values: expect.anything() }));
    expect(cluster.servedRelease("000000000000")).toBeUndefined();
  });

  it("says by the served release whether a pod of a revision is to have a sidecar", async () => {
    await publish();
    await register();
    const { sidecars } = await judgeCluster(serving(), kubeWith(webhooksOf("dev", TOKEN)), undefined);
    expect(sidecars?.decideFor("default", pod(), "shop")).toMatchObject({ inject: true });
    expect(sidecars?.decideFor("1-30", pod(), "shop")).toBeUndefined();
  });

  it("takes any name or the one that is wanted, and refuses another cluster than was named", async () => {
    await publish();
    await register();
    const kube = kubeWith(webhooksOf("dev", TOKEN));
    expect((await judgeCluster(serving(), kube, "shop")).name).toBe("shop");
    await expect(judgeCluster(serving(), kube, "pay")).rejects.toMatchObject({
      code: "cluster-unknown",
      path: "pay",
      message:
        "Cannot continue: this cluster is registered as shop; name that one with --cluster, or another --context",
    });
  });

  it("judges no pod of a cluster that is not registered, and says how to register it", async () => {
    await publish();
    await register();
    for (const webhooks of [[], webhooksOf("other", TOKEN), webhooksOf("dev", OTHER)]) {
      const cluster = await judgeCluster(serving(), kubeWith(webhooks), undefined);
      expect(cluster.servedFor(pod())).toEqual([]);
      expect(cluster.name).toBe("eks");
      expect(cluster.unjudged).toMatchObject({
        code: "cluster-unknown",
        path: "eks",
        message: expect.stringMatching(/^Cannot judge the pods of eks: .*"dev".*outrigger register/),
      });
    }
    expect((await judgeCluster(serving(), kubeWith([]), "shop")).name).toBe("shop");
  });

  it("judges no pod where nothing is served", async () => {
    const read = async () => ({ records: { shop: record(TOKEN) }, reading: { kind: "missing" } as never });
    const cluster = await judgeCluster({ deployment, read }, kubeWith(webhooksOf("dev", TOKEN)), undefined);
    expect(cluster.name).toBe("shop");
    expect(cluster.unjudged).toMatchObject({
      code: "store-corrupt",
      message: expect.stringContaining("publish first"),
    });
    expect(cluster.servedFor(pod())).toEqual([]);
    expect(await cluster.isStillServed()).toBe(true);
  });

  it("names the other deployment whose webhook is called for a pod", async () => {
    await publish();
    await register();
    const webhooks = [...webhooksOf("dev", TOKEN, ["till"]), ...webhooksOf("other", OTHER)];
    const { servedElsewhere } = await judgeCluster(serving(), kubeWith(webhooks), undefined);
    expect(servedElsewhere?.(pod())).toBe("other");
    expect(servedElsewhere?.(pod("till"))).toBeUndefined();
  });

  it("says when a channel serves something else than pods are judged by, and only then", async () => {
    await publish();
    await register();
    const cluster = await judgeCluster(serving(), kubeWith(webhooksOf("dev", TOKEN)), undefined);
    expect(await cluster.isStillServed()).toBe(true);
    await register("pay", OTHER);
    expect(await cluster.isStillServed()).toBe(true);
    await aws.edit("values/10-mine", "global: {hub: mine}\n");
    await publish();
    expect(await cluster.isStillServed()).toBe(false);
  });

  it("judges pods as if a channel served a release to all, also one that is served no more", async () => {
    await publish();
    await register();
    const first = releaseOf("stable");
    await aws.edit("values/10-mine", "global: {hub: mine}\n");
    await publish();
    const second = releaseOf("stable");
    const cluster = await judgeCluster(serving(), kubeWith(webhooksOf("dev", TOKEN)), undefined);
    const served = (of: typeof cluster) => of.servedFor(pod()).map(({ release }) => release);
    expect([first === second, served(cluster)]).toEqual([false, [second]]);
    expect(served(await cluster.ifServed("stable", first))).toEqual([first]);
    expect(served(await cluster.ifServed("canary", first))).toEqual([second]);
    expect((await cluster.ifServed("canary", first)).servedRelease(first)).toBeDefined();
    await expect(cluster.ifServed("stable", "000000000000")).rejects.toMatchObject({ code: "release-unknown" });
    // It was read from the store, once.
    const earlier = await cluster.releaseOf(first);
    expect((earlier as Injector).values).toMatchObject({ global: { hub: "registry.example/shipped" } });
    expect(await cluster.releaseOf(second)).toMatchObject({ values: { global: { hub: "mine" } } });
    expect(await cluster.releaseOf("000000000000")).toBeUndefined();
    await aws.store.objects.deleteObject(aws.layout.release(first));
    expect(await cluster.releaseOf(first)).toBe(earlier);
  });

  it("forgets the share of a channel that would serve a release to all, and keeps those of others", async () => {
    const [own, next] = [
      compileRelease([SHIPPED]),
      compileRelease([SHIPPED, { "values/10-mine": "global: {hub: a}\n" }]),
    ];
    const snapshot = {
      channels: { stable: "000000000001" },
      shares: { stable: { release: "000000000002", percent: 100 } },
      releases: { "000000000001": own, "000000000002": next },
    };
    const read = async () => ({
      records: { shop: record(TOKEN) },
      reading: { kind: "snapshot", snapshot } as never,
    });
    const cluster = await judgeCluster({ deployment, read }, kubeWith(webhooksOf("dev", TOKEN)), undefined);
    const served = (of: typeof cluster) => of.servedFor(pod()).map(({ release }) => release);
    expect(served(cluster)).toEqual(["000000000002", "000000000001"]);
    expect(served(await cluster.ifServed("stable", "000000000001"))).toEqual(["000000000001"]);
    expect(served(await cluster.ifServed("canary", "000000000001"))).toEqual(["000000000002", "000000000001"]);
  });

  it("reads what is served once for all clusters, and again after it failed", async () => {
    await publish();
    const read = serving();
    const before = aws.store.service.table().size;
    const [one, two] = await Promise.all([read.read(), read.read()]);
    expect([one, before > 0]).toEqual([two, true]);
    expect(one.records).toEqual({});
  });

  describe("podEvidence()", () => {
    const since = Date.parse("2026-01-02T00:00:00Z");
    const share = { release: "000000000002", percent: 50 };
    const evidence = async (channel: Partial<ChannelRecord>, journal?: object) => {
      const cluster = await judgeCluster(serving(), kubeWith(webhooksOf("dev", TOKEN), [], journal), undefined);
      const whole = { release: "000000000001", pinned: false, history: [], ...channel } as unknown as ChannelRecord;
      return podEvidence(cluster, "stable", whole, since);
    };
    const rollout = { next: [100], alarms: [], bake: 60, since: "2026-01-02T00:00:00Z", restart: true } as const;
    const journal = (more: object) => ({
      at: "2026-01-02T00:00:00Z",
      state: "done",
      question: { share: { channel: "stable", release: share.release, since: rollout.since } },
      ended: "2026-01-02T01:00:00Z",
      done: 1,
      moving: [],
      left: [],
      ...more,
    });
    beforeEach(async () => {
      await publish();
      await register();
    });

    it("only counts pods where there is no share", async () => {
      expect(await evidence({})).toEqual({ pods: expect.anything(), signals: [] });
    });

    it("says that no pod of a share is there yet", async () => {
      const { signals, ...more } = await evidence({ share });
      expect(signals.map(({ verdict }) => verdict)).toEqual(["unknown"]);
      expect(more).not.toHaveProperty("restarted");
    });

    it("says when the share's own restart was complete, of no other and not before", async () => {
      const when = async (more: object, of: object = rollout) =>
        (await evidence({ share, rollout: of as never }, journal(more))).restarted;
      expect(await when({})).toBe(Date.parse("2026-01-02T01:00:00Z"));
      expect(await when({ state: "running" })).toBeUndefined();
      expect(await when({ question: { share: { ...share, since: "2026-01-01T00:00:00Z" } } })).toBeUndefined();
      expect(await when({}, { ...rollout, restart: false })).toBeUndefined();
      expect((await evidence({ rollout } as never, journal({}))).restarted).toBeUndefined();
    });
  });
});

it("servingOf() passes on that the store cannot be read", async () => {
  const aws = fakeAws();
  const failing = {
    ...aws.store,
    getParametersByPath: async () => {
      throw new OutriggerError("store-unavailable", "try again");
    },
  };
  const deployment = { store: failing, target: { stage: "dev", layout: aws.layout } } as unknown as Deployment;
  await expect(servingOf(deployment, fakeIo()).read()).rejects.toThrow("try again");
});
