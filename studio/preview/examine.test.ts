import type { SourceTree } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { beforeAll, describe, expect, it } from "vitest";
import type { ClusterWorkload } from "../wire.ts";
import { examine } from "./examine.ts";

let shipped: SourceTree;
beforeAll(async () => {
  shipped = await readSourceTree("templates");
});

const workload = (at: number, over: Partial<ClusterWorkload> = {}, annotations = {}): ClusterWorkload => ({
  name: `Deployment app-${at}`,
  namespace: "shop",
  pods: 4,
  isSent: true,
  pod: {
    metadata: { labels: { app: `app-${at}` }, annotations },
    spec: { containers: [{ name: "app", image: `app:${at}` }] },
  },
  owner: { name: `app-${at}`, namespace: "shop", kind: "Deployment", apiVersion: "apps/v1" },
  parameters: {},
  ...over,
});

describe("impactOf()", () => {
  it("reads 400 pods of forty workloads as the few changes that they are", () => {
    const own = { "partials/proxy-image": "image: registry.example/{{owner.name}}:1\n" };
    const workloads = Array.from({ length: 40 }, (_, at) => {
      const image = at % 3 === 0 ? { "sidecar.istio.io/proxyCPU": "200m" } : {};
      const grpc = at % 10 === 0 ? { "inject.istio.io/templates": "grpc-agent" } : image;
      return workload(at, { pods: 10 }, grpc);
    });
    const { clusterImpact } = examine({ kind: "examine", shipped, own, saved: {}, manifests: [], workloads });
    const changes = clusterImpact?.changes ?? [];
    // An init container has the proxy's image too; gRPC applications have none; the context of a diff is not a change.
    expect(changes.length).toBeGreaterThan(0);
    expect(changes.length).toBeLessThanOrEqual(3);
    expect(changes.reduce((sum, { pods }) => sum + pods, 0) + (clusterImpact?.unchanged ?? 0)).toBe(400);
    expect(changes.every(({ fields }) => fields.join().includes("registry.example/app-"))).toBe(true);
  });

  it("leaves out what does not run, and what the webhook never gets", () => {
    const own = { "partials/proxy-image": "image: registry.example/mine:1\n" };
    const workloads = [workload(1, { pods: 0 }), workload(2, { isSent: false }), workload(3)];
    const { clusterImpact, impact } = examine({ kind: "examine", shipped, own, saved: {}, manifests: [], workloads });
    expect(clusterImpact?.changes.map(({ names, pods }) => [names, pods])).toEqual([[["shop/Deployment app-3"], 4]]);
    expect(impact?.changes.flatMap(({ names }) => names)).not.toContain("shop/Deployment app-3");
  });
});
