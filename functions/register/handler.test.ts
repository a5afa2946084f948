import { createHash } from "node:crypto";
import { defined, OutriggerError, objectOf, objectsOf } from "@outrigger/base";
import { kubeClient, registerCluster } from "@outrigger/cluster";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CLUSTER, type ClusterLab, openClusterLab } from "../../test/eks/cluster-lab.ts";
import type { CloudFormationResponse } from "../cloudformation-response.ts";
import { type RegisterDependencies, registerHandler } from "./handler.ts";
import { parseProperties } from "./parse-properties.ts";

interface Answer extends CloudFormationResponse {
  readonly id: string;
}

describe("registerHandler()", { timeout: 120_000 }, () => {
  let lab: ClusterLab;
  let answers: Answer[];
  let log: string[];
  let isGone: boolean;
  /** Whether the served release adds `istio-proxy`. */
  let addsProxy: boolean;
  beforeEach(async () => {
    lab = await openClusterLab();
    [answers, log, isGone, addsProxy] = [[], [], false, true];
  });
  afterEach(() => lab.close());

  /** CloudFormation's event for a resource, which is that of stack and logical ID. */
  async function send(
    RequestType: string,
    properties: object,
    PhysicalResourceId?: string,
    { stack: StackId = "arn:stack", logical = "Shop" } = {},
  ): Promise<Answer> {
    const { kube, ...ports } = lab.ports;
    const handler = registerHandler({
      deployment: "dev",
      url: lab.webhook.url,
      connect: async (name) => {
        if (isGone || name !== CLUSTER.name) throw new OutriggerError("cluster-unknown", `There is no cluster ${name}`);
        const eks = { region: "eu-west-1", server: "", ca: "", kubernetesVersion: "1.33", isPublic: true };
        return { description: { ...CLUSTER, ...eks }, kube };
      },
      // The test's certificate is no public one, and the resource has no property for another.
      ports: { ...ports, selfTest: async () => ({ addsProxy }) },
      isCanaryFailing: async () => false,
      respond: async ({ response, physicalId: id }) => void answers.push({ ...response, id }),
      write: (line) => void log.push(line),
    });
    await handler(
      defined({
        RequestType,
        ResponseURL: "https://x.amazonaws.com/y",
        StackId,
        RequestId: "1",
        LogicalResourceId: logical,
        ResourceProperties: { ServiceToken: "arn", ...properties },
        PhysicalResourceId,
      }),
    );
    return answers.at(-1) as Answer;
  }

  /** No namespace takes a probe, because the API server does not trust the webhook's certificate here. */
  const withoutProbe = () => lab.api.objects.delete("/api/v1/namespaces/default");
  const objects = () => [...lab.api.objects.keys()].filter((path) => path.includes("admissionregistration"));

  it("registers, changes and unregisters a cluster", async () => {
    withoutProbe();
    const made = await send("Create", { Cluster: "shop", Phase: "namespace", Namespaces: ["default"] });
    expect(made).toMatchObject({ status: "SUCCESS", id: "outrigger/dev/shop/default" });
    expect(made.reason).toContain("Registered at the phase namespace; No pod was tried");
    expect(lab.publisher.requests[0]?.cause).toEqual({ by: "stack arn:stack", why: "Create of Shop" });
    const enforce = { Cluster: "shop", Phase: "enforce", TimeoutSeconds: "5" };
    const unproven = await send("Update", enforce, made.id);
    expect([unproven.status, unproven.reason]).toEqual([
      "FAILED",
      expect.stringContaining("Cannot enforce what was not"),
    ]);
    const changed = await send("Update", { ...enforce, AllowUnproven: "true" }, made.id);
    expect(changed).toMatchObject({ status: "SUCCESS", id: made.id });
    expect(JSON.stringify([...lab.api.objects.values()])).toContain('"timeoutSeconds":5');
    expect((await send("Delete", { Cluster: "shop" }, made.id)).status).toBe("SUCCESS");
    expect([objects(), [...lab.publisher.records]]).toEqual([[], []]);
  });

  it("takes nothing away when what is deleted was never made", async () => {
    withoutProbe();
    await send("Create", { Cluster: "shop" });
    const failed = await send("Create", { Cluster: "other" });
    expect(failed).toMatchObject({ status: "FAILED", reason: "There is no cluster other" });
    expect((await send("Delete", { Cluster: "shop" }, failed.id)).status).toBe("SUCCESS");
    expect([...lab.publisher.records.keys()]).toEqual(["shop"]);
  });

  describe("takes nothing away that another resource has in use", () => {
    beforeEach(withoutProbe);
    const PROPERTIES = { Cluster: "shop", Phase: "cluster" };
    /** Whether the cluster's webhooks call with a token that is live. */
    const isServed = () => {
      const [{ webhooks = [] } = {}] = [...lab.api.objects].flatMap(([path, object]) =>
        path.includes("mutatingwebhook") ? [object] : [],
      );
      const url = objectsOf(webhooks).map(({ clientConfig }) => String(objectOf(clientConfig)["url"]))[0] ?? "";
      const token = /\/t\/([\w-]{43})/.exec(url)?.[1] ?? "";
      return lab.publisher.digests().includes(createHash("sha256").update(token).digest("hex"));
    };

    it("when As changes: CloudFormation deletes what was made under the old name", async () => {
      const { id } = await send("Create", PROPERTIES);
      const renamed = await send("Update", { ...PROPERTIES, As: "shop-eu" }, id);
      expect(renamed).toMatchObject({ status: "SUCCESS", id: "outrigger/dev/shop-eu/default" });
      const cleanup = await send("Delete", PROPERTIES, id);
      expect([cleanup.status, isServed(), [...lab.publisher.records.keys()]]).toEqual(["SUCCESS", true, ["shop-eu"]]);
      await send("Delete", { ...PROPERTIES, As: "shop-eu" }, renamed.id);
      expect([objects(), [...lab.publisher.records]]).toEqual([[], []]);
    });

    it("when such a change is rolled back", async () => {
      const { id } = await send("Create", PROPERTIES);
      const renamed = await send("Update", { ...PROPERTIES, As: "shop-eu" }, id);
      expect((await send("Update", PROPERTIES, renamed.id)).id).toBe(id);
      expect((await send("Delete", { ...PROPERTIES, As: "shop-eu" }, renamed.id)).status).toBe("SUCCESS");
      expect([isServed(), [...lab.publisher.records.keys()]]).toEqual([true, ["shop"]]);
    });

    it.each([
      ["the logical ID changes", { logical: "Checkout" }],
      ["the resource moves to another stack", { stack: "arn:other" }],
    ])("when %s, or that is rolled back", async (_what, other) => {
      for (const [leaving, staying] of [
        [{}, other],
        [other, {}],
      ]) {
        const { id } = await send("Create", PROPERTIES);
        await send("Create", PROPERTIES, undefined, other);
        const left = await send("Delete", PROPERTIES, id, leaving);
        expect(left).toMatchObject({ status: "SUCCESS", reason: expect.stringContaining("shop stays registered by") });
        expect([isServed(), [...lab.publisher.records.keys()]]).toEqual([true, ["shop"]]);
        // Twice is once.
        expect((await send("Delete", PROPERTIES, id, leaving)).status).toBe("SUCCESS");
        expect(isServed()).toBe(true);
        await send("Delete", PROPERTIES, id, staying);
        expect([objects(), [...lab.publisher.records]]).toEqual([[], []]);
      }
    });

    it("when a person registered the cluster before", async () => {
      await registerCluster({ ...lab.request(), withSelfTest: false }, lab.ports);
      const { id } = await send("Create", PROPERTIES);
      expect((await send("Delete", PROPERTIES, id)).reason).toContain("stays registered by an earlier registration");
      expect(isServed()).toBe(true);
    });

    it("while a person registers it again, or rotates its token", async () => {
      const { id } = await send("Create", PROPERTIES);
      await send("Create", PROPERTIES, undefined, { logical: "Checkout" });
      await registerCluster({ ...lab.request({ timeoutSeconds: 7 }), withSelfTest: false }, lab.ports);
      expect((await send("Delete", PROPERTIES, id)).reason).toContain("stays registered by arn:stack/Checkout");
      expect(isServed()).toBe(true);
    });
  });

  describe("beside istiod, with a release that adds no istio-proxy", () => {
    const PROPERTIES = { Cluster: "shop", Phase: "cluster", AllowUnproven: true };
    beforeEach(() => {
      addsProxy = false;
      withoutProbe();
      const namespaceSelector = { matchLabels: { "istio-injection": "enabled" } };
      const webhooks = [{ name: "namespace.sidecar-injector.istio.io", namespaceSelector }];
      const path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/istio-sidecar-injector";
      lab.api.put(path, { metadata: { name: "istio-sidecar-injector" }, webhooks });
      // Its pod security takes no probe.
      const labels = { "istio-injection": "enabled", "pod-security.kubernetes.io/enforce": "restricted" };
      lab.api.put("/api/v1/namespaces/till", { metadata: { name: "till", labels } });
    });
    const own = () => objects().filter((path) => path.includes("outrigger"));

    it("takes the proxy from no pod unless ReplaceIstio says so", async () => {
      const { status, reason } = await send("Create", PROPERTIES);
      expect([status, own(), [...lab.publisher.records]]).toEqual(["FAILED", [], []]);
      expect(reason).toContain(
        "the release that is served adds no istio-proxy, and istiod's istio-sidecar-injector selects the same pods",
      );
      expect(reason).toContain("or pass ReplaceIstio: true");
      const made = await send("Create", { ...PROPERTIES, ReplaceIstio: "true" });
      expect([made.status, own().length]).toEqual(["SUCCESS", 1]);
      // Nothing changes for new pods.
      expect((await send("Update", { ...PROPERTIES, TimeoutSeconds: "5" }, made.id)).status).toBe("SUCCESS");
    });

    it("asks for nothing in dry runs alone, with a label of its own, and where the release adds a proxy", async () => {
      const audit = await send("Create", { Cluster: "shop" });
      expect(audit.status).toBe("SUCCESS");
      await send("Delete", { Cluster: "shop" }, audit.id);
      const beside = await send("Create", { ...PROPERTIES, InjectionLabel: "sidecars.example.com/inject" });
      expect(beside.status).toBe("SUCCESS");
      expect(JSON.stringify([...lab.api.objects.values()])).toContain('"key":"sidecars.example.com/inject"');
      await send("Delete", PROPERTIES, beside.id);
      addsProxy = true;
      expect((await send("Create", PROPERTIES)).status).toBe("SUCCESS");
    });
  });

  it("unregisters when the cluster is gone", async () => {
    withoutProbe();
    const { id } = await send("Create", { Cluster: "shop" });
    isGone = true;
    expect((await send("Delete", { Cluster: "shop" }, id)).status).toBe("SUCCESS");
    expect([...lab.publisher.records]).toEqual([]);
  });

  it("answers with the reason when a property is wrong, and logs no token", async () => {
    const { status, reason } = await send("Create", { Cluster: "shop", Stge: "all" });
    expect([status, reason]).toEqual(["FAILED", expect.stringContaining("property Stge")]);
    expect(log.join("")).toContain('"code":"usage"');
  });

  describe("before the function's time is over", () => {
    const TIME = 300_000;
    beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
    afterEach(() => void vi.useRealTimers());
    const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

    /** The answer and when it came, in seconds of the function's time. */
    async function create(changes: Partial<RegisterDependencies["ports"]>, exchange = lab.api.direct) {
      const kube = kubeClient({ name: CLUSTER.name, sleep: pause, exchange });
      const started = Date.now();
      const context = { getRemainingTimeInMillis: () => TIME - (Date.now() - started) };
      const tested = { selfTest: async () => ({ addsProxy }) };
      const { kube: _, ...ports } = { ...lab.ports, ...tested, ...changes, sleep: pause };
      const found = { ...CLUSTER, region: "eu-west-1", server: "", ca: "", kubernetesVersion: "1.33", isPublic: true };
      const handler = registerHandler({
        deployment: "dev",
        url: lab.webhook.url,
        connect: async () => ({ description: found, kube }),
        ports,
        isCanaryFailing: async () => false,
        respond: async ({ response, physicalId: id }) => void answers.push({ ...response, id }),
        write: (line) => void log.push(line),
      });
      const event = { RequestType: "Create", ResponseURL: "https://x.amazonaws.com/y", StackId: "arn:stack" };
      const properties = { ServiceToken: "arn", Cluster: "shop", Phase: "cluster", SafetyNet: "deny" };
      const resource = { RequestId: "1", LogicalResourceId: "Shop", ResourceProperties: properties };
      const ended = handler({ ...event, ...resource }, context);
      for (let step = 0; answers.length === 0 && step < 1000; step++) await vi.advanceTimersByTimeAsync(1000);
      await ended;
      return { ...(answers[0] as Answer), seconds: Math.round((Date.now() - started) / 1000) };
    }

    it("stops, restores everything and answers", async () => {
      const { status, reason, seconds } = await create({
        selfTest: (_url, _settings, sleep) => sleep(3_600_000).then(() => ({ addsProxy })),
      });
      expect([status, reason]).toEqual(["FAILED", expect.stringContaining("the function's time was nearly over")]);
      expect(seconds).toBeLessThan(TIME / 1000 - 60);
      expect([objects(), [...lab.publisher.records]]).toEqual([[], []]);
    });

    it("answers when undoing hangs too", async () => {
      let hangs = false;
      const exchange: typeof lab.api.direct = async (request) => {
        // From the proof on: an access review comes before anything is written.
        if (request.method === "POST" && request.path.includes("/pods")) hangs = true;
        if (!hangs) return lab.api.direct(request);
        await pause(15_000);
        throw new OutriggerError("cluster-unreachable", "no answer");
      };
      const { status, reason, seconds } = await create({ selfTest: async () => ({ addsProxy: true }) }, exchange);
      expect([status, reason]).toEqual(["FAILED", expect.stringContaining("before everything was restored")]);
      expect(seconds).toBeLessThan(TIME / 1000);
    });
  });

  it("refuses what is no event of a custom resource", async () => {
    const handler = registerHandler({} as never);
    await expect(handler({ hello: "world" })).rejects.toThrow("custom resource only");
  });
});

describe("parseProperties()", () => {
  it.each([
    [{}, "Cluster"],
    [{ Cluster: "a b" }, "at most 100"],
    [{ Cluster: "a", Phase: "all" }, "audit, namespace"],
    [{ Cluster: "a", Tags: "x" }, "a list of texts"],
    [{ Cluster: "a", TimeoutSeconds: "x" }, "a whole number"],
    [{ Cluster: "a", Network: 1 }, "it must be text"],
    [{ Cluster: "a", TimeoutSeconds: { toString: 1 } }, "a whole number"],
    [{ Cluster: "a", SelfTest: { toString: 1 } }, "true, false"],
    [{ Cluster: "a", ReplaceIstio: "maybe" }, "true, false"],
    [{ Cluster: "a", Phase: { toString: 1 } }, "audit, namespace"],
    [null, "Cluster"],
  ])("refuses %j with the way out", (properties, message) => {
    expect(() => parseProperties(properties)).toThrow(message);
  });
});
