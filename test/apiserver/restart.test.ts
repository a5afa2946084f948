// A restart on a real API server: what its admission would not take back is not taken down.
import { type JsonObject, metadataKeys } from "@outrigger/base";
import { isRunning, metadataOf } from "@outrigger/pod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRealLab, type RealLab } from "./support/real-lab.ts";

const KINDS = ["StatefulSet", "Deployment", "DaemonSet"] as const;

const workload = (kind: string, namespace: string, name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace },
  spec: {
    ...(kind !== "DaemonSet" && { replicas: 1 }),
    ...(kind === "StatefulSet" && { serviceName: name }),
    ...(kind === "Deployment" && { strategy: { type: "Recreate" } }),
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "app", image: "app:1" }] } },
    ...spec,
  },
});

describe("outrigger restart, on a real API server", () => {
  let lab: RealLab;
  beforeAll(async () => {
    lab = await openRealLab();
    await lab.allow(["register", "check", "registration", "pods", "explain", "off", "restart"]);
    await lab.api.admin.create("/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } });
    expect((await lab.run("publish")).code).toBe(0);
    const registered = await lab.register("--phase", "cluster");
    expect(registered, registered.err).toMatchObject({ code: 0 });
  });
  afterAll(() => lab?.close());

  const ready = (namespace: string, count: number) =>
    lab.until(`${count} pods of ${namespace} are ready`, async () => {
      const pods = (await lab.pods(namespace)).filter((pod) => isRunning(pod));
      return pods.length === count && pods.every((pod) => JSON.stringify(pod).includes('"phase":"Running"'));
    });
  const uidsOf = async (namespace: string) => (await lab.pods(namespace)).map((pod) => metadataOf(pod).uid).toSorted();
  const isInjected = (pod: JsonObject) => metadataOf(pod).annotations[metadataKeys.status] !== undefined;

  /** Workloads whose pods were made before the namespace asked for sidecars. */
  const fill = async (namespace: string, labels: Readonly<Record<string, string>>) => {
    await lab.namespace(namespace);
    for (const kind of KINDS) await lab.apply(workload(kind, namespace, kind.toLowerCase()));
    await ready(namespace, KINDS.length);
    await lab.namespace(namespace, { "istio-injection": "enabled", ...labels });
  };

  it("leaves every workload whose next pod Pod Security refuses, in the plan and in the act", async () => {
    await fill("secured", { "pod-security.kubernetes.io/enforce": "baseline" });
    const before = await uidsOf("secured");
    const asked = ["restart", "--cluster", "shop", "-n", "secured"];
    const planned = await lab.run(...asked, "--dry-run");
    expect(planned.out).toContain("Nothing to restart");
    for (const kind of KINDS) expect(planned.out).toContain(`secured/${kind}/${kind.toLowerCase()}`);
    const { code, out } = await lab.run(...asked, "--yes");
    expect(out).toContain("violates PodSecurity");
    expect(code).toBe(1);
    expect(await uidsOf("secured")).toEqual(before);
  });

  it("restarts those that the cluster takes", async () => {
    await fill("open", {});
    const { code, out, err } = await lab.run("restart", "--cluster", "shop", "-n", "open", "--parallel", "3", "--yes");
    expect(`${out}${err}`).toContain("3 done");
    expect(code).toBe(0);
    const pods = (await lab.pods("open")).filter((pod) => isRunning(pod));
    expect(pods.filter(isInjected)).toHaveLength(KINDS.length);
  });

  it("creates pods as dry runs only: the policy that comes with the role refuses any other", async () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { containers: [{ name: "a", image: "a" }] },
    };
    const { kubeAs } = lab;
    await expect(kubeAs.create("/api/v1/namespaces/default/pods", pod)).rejects.toThrow("as dry runs only");
    expect(await kubeAs.createDryRun("/api/v1/namespaces/default/pods", pod)).toBeDefined();
  });
});
