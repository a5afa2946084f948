import type { JsonObject } from "@outrigger/base";
import { OutriggerError } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { describe, expect, it } from "vitest";
import { studioCluster } from "./cluster-workloads.ts";

const SPEC = { containers: [{ name: "web", image: "web:1" }] };
const deployment = (name: string, namespace: string, labels = {}) => ({
  metadata: { name, namespace },
  spec: { template: { metadata: { labels: { app: name, ...labels } }, spec: SPEC } },
  status: { replicas: 3 },
});
const OBJECTS: Readonly<Record<string, readonly JsonObject[]>> = {
  "/api/v1/namespaces": [
    { metadata: { name: "shop", labels: { "istio-injection": "enabled" } } },
    { metadata: { name: "bare" } },
  ],
  "/apis/apps/v1/deployments": [
    deployment("web", "shop"),
    deployment("opted-out", "shop", { "sidecar.istio.io/inject": "false" }),
    deployment("web", "bare"),
    deployment("dns", "kube-system"),
  ],
  "/apis/apps/v1/replicasets": [
    {
      ...deployment("web-1", "shop"),
      metadata: { name: "web-1", namespace: "shop", ownerReferences: [{ name: "web" }] },
    },
  ],
  "/apis/batch/v1/cronjobs": [
    {
      metadata: { name: "nightly", namespace: "shop" },
      spec: { jobTemplate: { spec: { template: { spec: SPEC } } } },
      status: { active: [{}, {}] },
    },
  ],
  "/api/v1/pods": [{ metadata: { name: "lone", namespace: "shop" }, spec: SPEC, status: { phase: "Succeeded" } }],
};

/** Answers lists, and nothing that would change a cluster. */
function kubeWith(denied: (path: string) => boolean = () => false): KubeClient {
  const kube: Pick<KubeClient, "name" | "list"> = {
    name: "prod",
    async *list(path: string) {
      if (denied(path)) throw new OutriggerError("cluster-denied", `Not allowed: ${path}`);
      yield* OBJECTS[path] ?? [];
    },
  };
  return kube as KubeClient;
}

describe("studioCluster()", () => {
  it("lists what pods are made from, with how many run and whether the webhook gets them", async () => {
    const workloads = await studioCluster(kubeWith()).workloads();
    expect(workloads.map(({ namespace, name, pods, isSent }) => [namespace, name, pods, isSent])).toEqual([
      ["shop", "Pod lone", 0, true],
      ["shop", "Deployment web", 3, true],
      ["shop", "Deployment opted-out", 3, false],
      ["bare", "Deployment web", 3, false],
      ["shop", "CronJob nightly", 2, true],
    ]);
    expect(workloads[1]).toMatchObject({
      pod: { metadata: { labels: { app: "web" } }, spec: SPEC },
      owner: { name: "web", namespace: "shop", kind: "Deployment", apiVersion: "apps/v1" },
    });
  });

  it("leaves out kinds that may not be listed, and says why where that is all of them", async () => {
    const some = await studioCluster(kubeWith((path) => path.endsWith("/pods"))).workloads();
    expect(some.map(({ name }) => name)).not.toContain("Pod lone");
    const none = studioCluster(kubeWith((path) => path !== "/api/v1/namespaces")).workloads();
    await expect(none).rejects.toMatchObject({ code: "cluster-denied" });
  });
});
