import type { JsonObject } from "@outrigger/base";
import { OutriggerError } from "@outrigger/base";
import { type KubeClient, objectsToApply } from "@outrigger/cluster";
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
function kubeWith(
  denied: (path: string) => boolean = () => false,
  objects: Readonly<Record<string, readonly JsonObject[]>> = OBJECTS,
): KubeClient {
  const kube: Pick<KubeClient, "name" | "list"> = {
    name: "prod",
    async *list(path: string) {
      if (denied(path)) throw new OutriggerError("cluster-denied", `Not allowed: ${path}`);
      yield* objects[path] ?? [];
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

  it("counts pods by what the status of each kind says, and none where it says nothing", async () => {
    const spec = { template: { spec: SPEC } };
    const of = (name: string, status?: JsonObject): JsonObject => ({
      metadata: { name, namespace: "shop" },
      spec,
      ...(status && { status }),
    });
    const objects = {
      "/apis/apps/v1/daemonsets": [of("logs", { currentNumberScheduled: 4 })],
      "/apis/batch/v1/jobs": [of("once", { active: 2 }), of("done", {}), of("new"), of("odd", { replicas: "3" })],
      "/api/v1/pods": ["Running", "Failed"].map((phase) => ({
        metadata: { name: phase.toLowerCase(), namespace: "shop" },
        spec: SPEC,
        status: { phase },
      })),
    };
    const workloads = await studioCluster(kubeWith(undefined, objects)).workloads();
    expect(workloads.map(({ name, pods }) => [name, pods])).toEqual([
      ["Pod running", 1],
      ["Pod failed", 0],
      ["DaemonSet logs", 4],
      ["Job once", 2],
      ["Job done", 0],
      ["Job new", 0],
      ["Job odd", 0],
    ]);
    expect(workloads[2]?.pod).toEqual({ metadata: {}, spec: SPEC });
    expect(workloads[2]?.owner).toEqual({ name: "logs", namespace: "shop", kind: "DaemonSet", apiVersion: "apps/v1" });
    expect(workloads[0]?.owner?.apiVersion).toBe("v1");
  });

  it("leaves out what has no name or makes no pod, and sends no pod that cannot be read", async () => {
    const objects = {
      "/apis/apps/v1/deployments": [
        { metadata: { namespace: "shop" }, spec: { template: { spec: SPEC } } },
        { metadata: { name: "empty", namespace: "shop" }, spec: {} },
        {
          metadata: { name: "odd", namespace: "shop" },
          spec: { template: { metadata: { labels: { a: 1 } }, spec: { containers: "none" } } },
        },
      ],
    };
    const workloads = await studioCluster(kubeWith(undefined, objects)).workloads();
    expect(workloads.map(({ name, isSent }) => [name, isSent])).toEqual([["Deployment odd", false]]);
  });

  it("goes by the webhooks that are registered, and gives their cluster and network to the templates", async () => {
    const webhooks = objectsToApply(
      "dev",
      {
        url: "https://hook.test",
        revision: "default",
        phase: "namespace",
        namespaces: ["bare"],
        clusterId: "c",
        network: "n",
      },
      "t".repeat(43),
    );
    const objects = {
      ...OBJECTS,
      "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations": webhooks,
      "/api/v1/namespaces": ["shop", "bare"].map((name) => ({
        metadata: { name, labels: { "istio-injection": "enabled" } },
      })),
    };
    const workloads = await studioCluster(kubeWith(undefined, objects)).workloads();
    const sent = workloads.filter(({ isSent }) => isSent);
    expect(sent.map(({ namespace, name }) => [namespace, name])).toEqual([["bare", "Deployment web"]]);
    expect(sent[0]?.parameters).toEqual({ ISTIO_META_CLUSTER_ID: "c", ISTIO_META_NETWORK: "n" });
    const [first] = await studioCluster(kubeWith()).workloads();
    expect(first?.parameters).toEqual({});
  });

  it("takes those who may not see webhooks for those of an unregistered cluster, and fails where it cannot be reached", async () => {
    const denied = studioCluster(kubeWith((path) => path.endsWith("configurations")));
    expect((await denied.workloads()).map(({ isSent }) => isSent)).toEqual([true, true, false, false, true]);
    const failing = kubeWith();
    const list: KubeClient["list"] = async function* (path) {
      if (path.endsWith("/deployments")) throw new OutriggerError("cluster-unreachable", "nothing answers");
      yield* failing.list(path);
    };
    await expect(studioCluster({ ...failing, list }).workloads()).rejects.toThrow("nothing answers");
  });
});
