// What `outrigger register` without options restores where the webhooks are gone: the settings in the cluster's record.
import type { JsonObject } from "@outrigger/base";
import { registerCluster, switchOff, unregisterCluster } from "@outrigger/cluster";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLUSTER, type ClusterLab, openClusterLab, withoutLease } from "./cluster-lab.ts";

const ASKED = {
  phase: "enforce",
  safetyNet: "deny",
  tags: ["prod"],
  timeoutSeconds: 7,
  clusterId: "east",
  network: "n1",
  enableNamespacesByDefault: true,
  reinvocationPolicy: "Never",
} as const;

describe("registering a cluster whose webhooks are gone", { timeout: 120_000 }, () => {
  let lab: ClusterLab;
  beforeEach(async () => {
    lab = await openClusterLab();
  });
  afterEach(() => lab.close());

  const register = (asked: Parameters<ClusterLab["request"]>[0] = {}) => registerCluster(lab.request(asked), lab.ports);
  /** Returns the cluster's objects without versions and tokens. */
  const objects = () =>
    [...lab.api.objects]
      .filter(([path]) => path.includes("admissionregistration"))
      .map(([path, { metadata, ...content }]) => {
        const { name, labels, annotations: all } = metadata as JsonObject;
        const annotations = withoutLease(all);
        return [
          path,
          JSON.parse(JSON.stringify({ name, labels, annotations, ...content }).replaceAll(/\/t\/[^/]+/g, "/t/…")),
        ];
      });
  const remove = (part: string) => {
    for (const path of lab.api.objects.keys()) if (path.includes(part)) lab.api.objects.delete(path);
  };

  it.each<[string, () => unknown]>([
    ["outrigger off --remove", () => switchOff(lab.ports.kube, { remove: true, at: "2026-11-22T00:00:00Z" })],
    [
      "outrigger off, and deleting what is left",
      async () => {
        await switchOff(lab.ports.kube, { remove: false, at: "2026-11-22T00:00:00Z" });
        remove("admissionregistration");
      },
    ],
    ["a deleted webhook", () => remove("outrigger-sidecar-injector")],
    ["deleting all that is there", () => remove("admissionregistration")],
    [
      "a damaged annotation",
      () => {
        const path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/outrigger-sidecar-injector";
        lab.api.edit(path, "another", (object) => ({
          ...object,
          metadata: { ...(object["metadata"] as JsonObject), annotations: { "outrigger/settings": "{" } },
        }));
      },
    ],
  ])("restores everything after %s", async (_what, lose) => {
    await register(ASKED);
    const before = objects();
    await lose();
    expect(objects()).not.toEqual(before);
    const { settings } = await register();
    expect(settings).toMatchObject(ASKED);
    expect(new Map(objects() as [string, unknown][])).toEqual(new Map(before as [string, unknown][]));
  });

  it("prefers what the cluster has, and what is asked for", async () => {
    await register(ASKED);
    await register({ timeoutSeconds: 9 });
    remove("admissionregistration");
    expect((await register({ phase: "cluster" })).settings).toMatchObject({
      ...ASKED,
      phase: "cluster",
      timeoutSeconds: 9,
    });
  });

  it("begins again after unregister", async () => {
    await register(ASKED);
    await register({ revision: "1-30", phase: "cluster" });
    await unregisterCluster({ ...lab.request(), revision: "1-30" }, lab.ports, lab.ports.kube);
    expect(Object.keys(lab.publisher.records.get(CLUSTER.name)?.settings ?? {})).toEqual(["default"]);
    expect((await register({ revision: "1-30" })).settings.phase).toBe("audit");
    await unregisterCluster(lab.request(), lab.ports, lab.ports.kube);
    expect((await register()).settings).toMatchObject({ phase: "audit", tags: [] });
  });

  it("does not record what failed", async () => {
    await register({ phase: "cluster" });
    lab.webhook.instead = { status: 500, body: "" };
    await expect(register(ASKED)).rejects.toThrow();
    lab.webhook.instead = undefined;
    remove("admissionregistration");
    expect((await register()).settings.phase).toBe("cluster");
  });

  it("says what the record cannot hold", async () => {
    const namespaces = Array.from({ length: 60 }, (_, index) => `a-namespace-with-a-long-name-${index}`);
    for (const name of namespaces)
      lab.api.put(`/api/v1/namespaces/${name}`, {
        metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
      });
    const { warnings } = await register({ phase: "namespace", namespaces });
    expect(warnings).toContainEqual(
      expect.stringContaining("cannot hold all settings: after outrigger off --remove, give options"),
    );
    expect(lab.publisher.records.get(CLUSTER.name)?.settings).toBeUndefined();
  });
});
