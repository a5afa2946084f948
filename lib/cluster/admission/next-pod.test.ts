import { describe, expect, it } from "vitest";
import { nextPodOf } from "./next-pod.ts";

const container = { name: "app", image: "app:1", volumeMounts: [{ name: "data", mountPath: "/data" }] };

describe("nextPodOf()", () => {
  it("adds the volumes of a StatefulSet's claims, which its template lacks", () => {
    const workload = {
      kind: "StatefulSet",
      metadata: { name: "db", namespace: "shop" },
      spec: {
        template: {
          metadata: { labels: { app: "db" } },
          spec: { containers: [container], volumes: [{ name: "tmp" }] },
        },
        volumeClaimTemplates: [{ metadata: { name: "data" } }],
      },
    };
    expect(nextPodOf(workload)).toEqual({
      metadata: { labels: { app: "db" } },
      spec: {
        containers: [container],
        volumes: [{ name: "tmp" }, { name: "data", persistentVolumeClaim: { claimName: "data-db-0" } }],
      },
    });
  });

  it("has the owner of the workload's pods, for policies that let only controllers make pods", () => {
    const workload = { kind: "Deployment", metadata: { name: "web" }, spec: { template: { spec: {} } } };
    const ownerReferences = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-1", uid: "u", controller: true }];
    expect(nextPodOf(workload, { metadata: { name: "web-1-x", ownerReferences } })).toEqual({
      metadata: { ownerReferences },
      spec: {},
    });
  });
});
