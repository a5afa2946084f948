import { describe, expect, it } from "vitest";
import { isInShare, isPodInShare, type Workload } from "./workload-share.ts";

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

describe("isPodInShare()", () => {
  it("gives all pods of each of 60 owners one side of every share", () => {
    const owners = Array.from({ length: 60 }, (_, index) => ({
      apiVersion: "sparkoperator.k8s.io/v1beta2",
      kind: "SparkApplication",
      name: `job-${index}`,
      uid: "u",
      controller: true,
    }));
    const sides = (owner: (typeof owners)[number], percent: number) =>
      Array.from({ length: 20 }, (_, index) => {
        const pod = { metadata: { name: `exec-${index}-${owner.name.length}`, ownerReferences: [owner] } };
        return isPodInShare({ cluster: "prod", pod, namespace: "shop" }, percent);
      });
    const mixed = owners.filter((owner) => [5, 25, 50].some((percent) => new Set(sides(owner, percent)).size > 1));
    expect(mixed).toEqual([]);
  });

  it("takes the namespace of the request", () => {
    const pods = Array.from({ length: 200 }, (_, index) => ({ metadata: { name: `one-${index}` } }));
    const inShare = (namespace: string) => pods.map((pod) => isPodInShare({ cluster: "prod", pod, namespace }, 50));
    expect(inShare("shop")).not.toEqual(inShare("other"));
    const named = { metadata: { name: "one-0", namespace: "other" } };
    expect(isPodInShare({ cluster: "prod", pod: named, namespace: "shop" }, 50)).toBe(inShare("shop")[0]);
  });
});
