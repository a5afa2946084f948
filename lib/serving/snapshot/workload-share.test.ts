import { describe, expect, it } from "vitest";
import { isInShare, type Workload, workloadOf } from "./workload-share.ts";

const WORKLOADS = 100_000;
const KINDS = ["Deployment", "StatefulSet", "DaemonSet", "CronJob"];

/** Workloads as clusters have them: few clusters, many namespaces, names that differ by little. */
const workloads: readonly Workload[] = Array.from({ length: WORKLOADS }, (_, index) => ({
  cluster: `prod-${index % 7}`,
  namespace: `team-${index % 311}`,
  kind: KINDS[index % KINDS.length] as string,
  name: `service-${index}`,
}));

describe("isInShare()", () => {
  it.each([1, 5, 10, 25, 50, 75, 99])(
    `is true of %i %% of ${WORKLOADS} workloads, within sampling error`,
    (percent) => {
      const share = percent / 100;
      const count = workloads.filter((workload) => isInShare(workload, percent)).length;
      // Four standard deviations: one run in 16,000 would miss it by chance, and this one is always the same.
      const allowed = 4 * Math.sqrt(WORKLOADS * share * (1 - share));
      expect(Math.abs(count - WORKLOADS * share)).toBeLessThan(allowed);
    },
  );

  it.each(["cluster", "namespace", "kind"] as const)("is as exact within one %s", (key) => {
    const value = workloads[0]?.[key];
    const some = workloads.filter((workload) => workload[key] === value);
    const count = some.filter((workload) => isInShare(workload, 25)).length;
    expect(Math.abs(count - some.length / 4)).toBeLessThan(4 * Math.sqrt(some.length * 0.25 * 0.75));
  });

  it("only adds workloads when the share grows, from none to all", () => {
    const shares = [0, 1, 5, 25, 50, 99, 100];
    for (const workload of workloads.slice(0, 20_000)) {
      const places = shares.map((percent) => isInShare(workload, percent));
      expect(places).toEqual([...places].sort((a, b) => Number(a) - Number(b)));
      expect([places[0], places.at(-1)]).toEqual([false, true]);
    }
  });
});

describe("workloadOf()", () => {
  const controller = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "cart-5d4f", uid: "u", controller: true };
  const labels = { "pod-template-hash": "5d4f" };

  it("is the same for all pods of a Deployment, before and after an injection and a new ReplicaSet", () => {
    const pod = { metadata: { generateName: "cart-5d4f-", labels, ownerReferences: [controller] } };
    const injected = {
      metadata: { ...pod.metadata, name: "cart-5d4f-x", annotations: { "sidecar.istio.io/status": "{}" } },
    };
    const next = {
      metadata: {
        generateName: "cart-9c8b-",
        labels: { "pod-template-hash": "9c8b" },
        ownerReferences: [{ ...controller, name: "cart-9c8b" }],
      },
    };
    const cart = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "cart" };
    for (const each of [pod, injected, next]) expect(workloadOf("prod", each as never, "shop")).toEqual(cart);
  });

  it("is the controller of a pod whose name is its own: the executors of a Spark driver, next to the driver", () => {
    const driver = { metadata: { name: "etl-driver" } };
    const executor = (index: number) => ({
      metadata: { name: `etl-exec-${index}`, ownerReferences: [{ ...controller, kind: "Pod", name: "etl-driver" }] },
    });
    const etl = { cluster: "prod", namespace: "shop", kind: "Pod", name: "etl-driver" };
    for (const each of [driver, executor(1), executor(2)])
      expect(workloadOf("prod", each as never, "shop")).toEqual(etl);
  });

  it("gives all pods of each of 60 owners one side of every share", () => {
    const owners = Array.from({ length: 60 }, (_, index) => ({
      ...controller,
      kind: "SparkApplication",
      name: `job-${index}`,
    }));
    const sides = (owner: object, percent: number) =>
      Array.from({ length: 20 }, (_, index) => {
        const metadata = { name: `exec-${index}-${JSON.stringify(owner).length}`, ownerReferences: [owner] };
        return isInShare(workloadOf("prod", { metadata } as never, "shop"), percent);
      });
    const mixed = owners.filter((owner) => [5, 25, 50].some((percent) => new Set(sides(owner, percent)).size > 1));
    expect(mixed).toEqual([]);
  });

  it("is the prefix of a generated name without a controller, and otherwise the pod's own name", () => {
    const generated = { metadata: { generateName: "run-", name: "run-x7" } };
    expect(workloadOf("prod", generated as never, "shop").name).toBe("run-");
    expect(workloadOf("prod", { metadata: { name: "one" } } as never, "shop").name).toBe("one");
  });
});
