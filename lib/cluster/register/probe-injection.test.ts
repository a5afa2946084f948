import type { JsonObject } from "@outrigger/base";
import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import type { KubeClient } from "../kube/kube-client.ts";
import { probeInjection } from "./probe-injection.ts";

const STATUS = "sidecar.istio.io/status";
const ENABLED = { "istio-injection": "enabled" };

type Answer = JsonObject | OutriggerError | Error;

function namespaceOf(name: string, labels?: Readonly<Record<string, string>>): JsonObject {
  return { metadata: { name, labels: { "kubernetes.io/metadata.name": name, ...labels } } };
}

/** An API server with these namespaces, which answers each pod with the next answer; the last one stays. */
function cluster(namespaces: readonly JsonObject[], ...answers: readonly Answer[]) {
  const made: { readonly path: string; readonly pod: JsonObject }[] = [];
  const sleeps: number[] = [];
  const kube = {
    name: "c1",
    async *list(path: string) {
      expect(path).toBe("/api/v1/namespaces");
      yield* namespaces;
    },
    async createDryRun(path: string, pod: JsonObject) {
      const answer = answers[Math.min(made.length, answers.length - 1)];
      made.push({ path, pod });
      if (answer instanceof Error || answer === undefined) throw answer;
      return answer;
    },
  } as unknown as KubeClient;
  const probe = (settings: { readonly revision?: string; readonly namespaces?: readonly string[] } = {}) =>
    probeInjection(
      kube,
      { revision: "default", namespaces: [], ...settings },
      async (milliseconds) => void sleeps.push(milliseconds),
    );
  return { kube, made, sleeps, probe, labels: () => made.map(({ pod }) => (pod["metadata"] as JsonObject)["labels"]) };
}

const INJECTED = { metadata: { annotations: { [STATUS]: "{}" } } };
const PLAIN = { metadata: { annotations: { other: "x" } } };
const SHOP = namespaceOf("shop", ENABLED);

describe("probeInjection()", () => {
  it("continues to the next namespace after a quota, and names the quota where no other may be used", async () => {
    const refused = (code: "cluster-refused" | "cluster-denied", why: string) => new OutriggerError(code, why);
    const quota = refused("cluster-refused", "exceeded quota");
    expect(await cluster([SHOP, namespaceOf("cart", ENABLED)], quota, INJECTED).probe()).toMatchObject({
      kind: "injected",
    });
    const denied = refused("cluster-denied", "not allowed");
    expect(await cluster([SHOP, namespaceOf("cart", ENABLED)], quota, denied).probe()).toEqual({
      kind: "untried",
      why: "exceeded quota",
    });
  });

  it("asks for a pod with a sidecar, as a dry run, and is done when it has one", async () => {
    const { made, probe, sleeps } = cluster([SHOP], INJECTED);
    expect(await probe()).toEqual({ kind: "injected", namespace: "shop" });
    expect(made).toMatchObject([
      {
        path: "/api/v1/namespaces/shop/pods",
        pod: {
          kind: "Pod",
          metadata: { namespace: "shop", labels: { "sidecar.istio.io/inject": "true" } },
          spec: { containers: [{}] },
        },
      },
    ]);
    expect(sleeps).toEqual([]);
  });

  it("takes a denial of an unknown template as an answer where no template is for the pod", async () => {
    const denial = new OutriggerError(
      "cluster-refused",
      'admission webhook "rev.namespace.sidecar-injector.outrigger" denied the request: there is no template "outrigger-probe"',
    );
    const { made, probe, sleeps } = cluster([SHOP], PLAIN, denial, PLAIN);
    expect(await probe()).toEqual({ kind: "answered", namespace: "shop" });
    // At once: a team without a mesh has no pod that shows it.
    expect([made.length, sleeps]).toEqual([3, []]);
    expect(made.at(1)?.pod).toMatchObject({
      metadata: { annotations: { "inject.istio.io/templates": "outrigger-probe" } },
    });
    // The API server got the configuration after the first pod.
    expect(await cluster([SHOP], PLAIN, denial, INJECTED).probe()).toMatchObject({ kind: "injected" });
    const other = new OutriggerError("cluster-refused", "exceeded quota: pods");
    expect(await cluster([SHOP], PLAIN, other, PLAIN).probe()).toMatchObject({ kind: "not-injected" });
  });

  it("tries again until the API server has the configuration", async () => {
    const { probe, sleeps } = cluster([SHOP], PLAIN, PLAIN, PLAIN, PLAIN, INJECTED);
    expect(await probe()).toEqual({ kind: "injected", namespace: "shop" });
    expect(sleeps).toEqual([1000, 2000]);
  });

  it.each<[string, JsonObject]>([
    ["other annotations", PLAIN],
    ["no annotations", { metadata: {} }],
    ["invalid annotations", { metadata: { annotations: "x" } }],
    ["no metadata", {}],
  ])("gives up after five tries where the pod comes back with %s", async (_what, pod) => {
    const { made, probe, sleeps } = cluster([SHOP], pod);
    expect(await probe()).toEqual({ kind: "not-injected", namespace: "shop" });
    // Five, each with one that a webhook which is asked denies.
    expect(made).toHaveLength(10);
    expect(sleeps).toEqual([1000, 2000, 4000, 8000]);
  });

  it("tries again where our webhook failed, and gives its error in the end", async () => {
    const message = "rejects /pods: EOF";
    const error = new OutriggerError("cluster-webhook-failed", message, { path: "object.sidecar-injector.outrigger" });
    const failing = cluster([SHOP], error);
    expect(await failing.probe()).toEqual({ kind: "failed", message });
    expect(failing.made).toHaveLength(5);
    const passing = cluster([SHOP], error, INJECTED);
    expect(await passing.probe()).toEqual({ kind: "injected", namespace: "shop" });
  });

  it("is untried, at once, where another's webhook failed", async () => {
    const error = new OutriggerError("cluster-webhook-failed", "EOF", { path: "object.sidecar-injector.other" });
    const { made, probe } = cluster([SHOP], error);
    expect(await probe()).toMatchObject({ kind: "untried" });
    expect(made).toHaveLength(1);
  });

  it.each(["cluster-denied", "cluster-refused", "cluster-list-expired"] as const)(
    "is untried, at once, where the pod is %s",
    async (code) => {
      const { made, probe } = cluster([SHOP], new OutriggerError(code, "no pods here"));
      expect(await probe()).toEqual({ kind: "untried", why: "no pods here" });
      expect(made).toHaveLength(1);
    },
  );

  it.each([
    new OutriggerError("cluster-unreachable", "connect ECONNREFUSED"),
    new OutriggerError("cluster-conflict", "webhook"),
    new OutriggerError("cluster-webhook-failed", "a webhook that is not named"),
    new TypeError("webhook"),
  ])("throws %s", async (error) => {
    await expect(cluster([SHOP], error).probe()).rejects.toBe(error);
  });

  it.each([
    [new OutriggerError("cluster-denied", "no namespaces"), { kind: "untried", why: "no namespaces" }],
    [new OutriggerError("cluster-refused", "no namespaces"), { kind: "untried", why: "no namespaces" }],
    [new OutriggerError("cluster-unreachable", "gone"), undefined],
    [new TypeError("a bug"), undefined],
  ])("is untried, or throws, where namespaces may not be listed: %s", async (error, proof) => {
    const kube = {
      // biome-ignore lint/correctness/useYield: it fails before it has a namespace
      async *list() {
        throw error;
      },
    } as unknown as KubeClient;
    const proving = probeInjection(kube, { revision: "default", namespaces: [] }, async () => {});
    await (proof === undefined ? expect(proving).rejects.toBe(error) : expect(proving).resolves.toEqual(proof));
  });
});

describe("probeInjection() chooses a namespace", () => {
  it("takes default before others, and else the first that fits", async () => {
    const first = cluster([namespaceOf("a"), SHOP, namespaceOf("default")], INJECTED);
    expect(await first.probe()).toMatchObject({ namespace: "default" });
    const second = cluster([namespaceOf("off", { "istio-injection": "disabled" }), SHOP, namespaceOf("z")], INJECTED);
    expect(await second.probe()).toMatchObject({ namespace: "shop" });
    const third = cluster([namespaceOf("default", { "istio-injection": "disabled" }), SHOP], INJECTED);
    expect(await third.probe()).toMatchObject({ namespace: "shop" });
  });

  it.each<[string, JsonObject]>([
    ["a system namespace", namespaceOf("kube-system", ENABLED)],
    ["restricted", namespaceOf("a", { ...ENABLED, "pod-security.kubernetes.io/enforce": "restricted" })],
    ["baseline", namespaceOf("a", { ...ENABLED, "pod-security.kubernetes.io/enforce": "baseline" })],
    ["opted out", namespaceOf("a", { "istio-injection": "disabled" })],
    ["another revision's", namespaceOf("a", { "istio.io/rev": "v2" })],
    ["without metadata", {}],
  ])("passes over one that is %s", async (_what, namespace) => {
    const { made, probe } = cluster([namespace], INJECTED);
    expect(await probe()).toMatchObject({ kind: "untried" });
    expect(made).toEqual([]);
  });

  it("takes one that says that it is privileged, and one without labels", async () => {
    const { probe } = cluster([namespaceOf("a", { "pod-security.kubernetes.io/enforce": "privileged" })], INJECTED);
    expect(await probe()).toMatchObject({ kind: "injected", namespace: "a" });
    expect(await cluster([{ metadata: { name: "b" } }], INJECTED).probe()).toMatchObject({ namespace: "b" });
  });

  it("names the revision where the namespace does not", async () => {
    const { labels, probe } = cluster([namespaceOf("a")], INJECTED);
    expect(await probe({ revision: "v1" })).toMatchObject({ kind: "injected", namespace: "a" });
    expect(labels()).toEqual([{ "sidecar.istio.io/inject": "true", "istio.io/rev": "v1" }]);
    const named = cluster([namespaceOf("a", { "istio.io/rev": "v1" })], INJECTED);
    await named.probe({ revision: "v1" });
    expect(named.labels()).toEqual([{ "sidecar.istio.io/inject": "true" }]);
  });

  it("takes only the namespaces of the stage", async () => {
    const { probe } = cluster([namespaceOf("default"), SHOP, namespaceOf("web")], INJECTED);
    expect(await probe({ namespaces: ["web"] })).toMatchObject({ kind: "injected", namespace: "web" });
  });
});
