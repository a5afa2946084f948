import type { JsonObject } from "@outrigger/base";
import type { Release } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import type { KubeClient } from "../kube/kube-client.ts";
import { readInstalled } from "../objects/installed-webhooks.ts";
import { tryWorkloads } from "./dry-runs.ts";

const ENABLED = { "istio-injection": "enabled" };
const LABELS = { "outrigger/revision": "default", "outrigger/deployment": "dev" };
const release = {
  config: { policy: "enabled", defaultTemplates: ["sidecar"], neverInjectSelector: [], alwaysInjectSelector: [] },
} as unknown as Release;

/** A cluster with a Deployment `web` in each namespace, whose API server admits every pod as it is. */
function cluster(spec: JsonObject = {}) {
  return {
    async *list() {
      yield { metadata: { name: "web" }, spec: { template: { metadata: { labels: { app: "web" } }, spec } } };
    },
    createDryRun: async (_path: string, pod: JsonObject) => pod,
  } as unknown as KubeClient;
}

const installed = (annotations: JsonObject = {}) => [
  readInstalled({ metadata: { name: "outrigger-sidecar-injector", labels: LABELS, annotations } }),
];

describe("tryWorkloads()", () => {
  it("tries the namespaces first in which controllers failed, and as many of the others as one run takes", async () => {
    const names = Array.from({ length: 25 }, (_, at) => `ns-${String(at).padStart(2, "0")}`);
    const selected = new Map(names.map((name) => [name, ENABLED]));
    const { tried, ...counts } = await tryWorkloads(
      cluster(),
      installed(),
      selected,
      ["ns-24", "ns-22"],
      () => release,
    );
    const first = ["ns-22", "ns-24", ...names.slice(0, 18)];
    expect(tried.map(({ workload }) => workload)).toEqual(first.map((name) => `${name}/Deployment/web`));
    expect(counts).toEqual({ selected: 25, left: 5 });
  });

  it.each([
    [true, "the release injects it", installed(), {}, release],
    [false, "the webhook is off", installed({ "outrigger/off": "2026-11-26T12:00:00Z" }), {}, release],
    [false, "the pod is on the host's network", installed(), { hostNetwork: true }, release],
    [false, "nothing is served", installed(), {}, undefined],
    [false, "no webhook is registered", [], {}, release],
  ])("expects a sidecar: %s where %s", async (isExpected, _why, webhooks, spec, served) => {
    const { tried } = await tryWorkloads(cluster(spec), webhooks, new Map([["shop", ENABLED]]), [], () => served);
    expect(tried.map((one) => one.isExpected)).toEqual([isExpected]);
  });
});
