import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { askMissing, missedPods, oldestMissed, printMissing } from "./missing-pods.ts";
import type { RunningCluster } from "./running-cluster.ts";

const MINUTE = 60_000;
const START = Date.parse("2026-11-23T10:00:00Z");
const pod = (minute: number, isMissed = true) => ({
  namespace: "shop",
  name: "web",
  owner: "",
  revision: "default",
  reason: "",
  remediation: "",
  created: new Date(START + minute * MINUTE).toISOString(),
  isMissed,
});
const lost = (minute: number, calls: number) => ({
  since: START + minute * MINUTE,
  until: START + (minute + 1) * MINUTE,
  calls,
});

describe("missedPods()", () => {
  it("counts pods that were made when calls were lost, and the calls of those minutes", () => {
    const pods = [...Array(3).fill(pod(10.5)), pod(11.2), pod(30), pod(10.5, false)];
    expect(missedPods(pods, [lost(10, 3900), lost(11, 1), lost(50, 7)])).toEqual({
      pods: 4,
      calls: 3901,
      since: "2026-11-23T10:10:00.000Z",
      until: "2026-11-23T10:12:00.000Z",
    });
  });

  it("is nothing when no call was lost then, or every pod has another reason", () => {
    expect(missedPods([pod(30)], [lost(10, 3900)])).toBeUndefined();
    expect(missedPods([pod(10, false)], [lost(10, 3900)])).toBeUndefined();
  });
});

describe("oldestMissed()", () => {
  it("is shortly before the oldest pod that a webhook let pass", () => {
    expect(oldestMissed([pod(20), pod(10), pod(1, false)])).toBe(START + 9 * MINUTE);
    expect(oldestMissed([pod(1, false)])).toBeUndefined();
  });
});

describe("askMissing() and printMissing()", () => {
  /** A cluster whose namespaces ask for sidecars that no webhook gives, or say nothing; its deployment cannot be watched. */
  const clusterOf = (names: readonly string[], silent: number, isKnown = true): RunningCluster => {
    const made = (namespace: string, name: string) => ({
      metadata: { namespace, name, uid: name, creationTimestamp: "2026-11-23T10:00:00Z" },
      spec: { containers: [{ name: "app", image: "app" }] },
      status: { phase: "Running" },
    });
    const quiet = Array.from({ length: silent }, (_, at) => `quiet${String(at).padStart(2, "0")}`);
    const pods = [...names.map((name) => made("shop", name)), ...quiet.map((namespace) => made(namespace, "job"))];
    const labels = (name: string) => [name, name === "shop" ? { "istio-injection": "enabled" } : {}] as const;
    return {
      name: "prod",
      kube: {
        async *pods() {
          for (const one of pods) yield { ...one, specText: JSON.stringify(one.spec), whole: () => one };
        },
      },
      deployment: {
        place: async () => {
          throw new OutriggerError("aws-denied", "you may not");
        },
      },
      servedFor: () => [],
      releaseOf: async () => undefined,
      sidecars: {
        namespaces: new Map(["shop", ...quiet].map(labels)),
        installed: [],
        decideFor: () => (isKnown ? { inject: true, reason: "policy-enabled" } : undefined),
      },
    } as unknown as RunningCluster;
  };

  it("is well where none is missing", async () => {
    const { value, text, cells, said, finding } = await askMissing(clusterOf([], 0), {}, fakeIo());
    expect(text).toBe("0 of 0 pods have a sidecar, 0 should have one\n");
    expect([cells, said, finding]).toEqual([["0", "0", "0"], "none is missing", undefined]);
    expect(value).not.toHaveProperty("missed");
  });

  it("names namespaces that ask for nothing, ten at most", async () => {
    const silence = async (count: number) => (await askMissing(clusterOf([], count), {}, fakeIo())).text;
    expect(await silence(1)).toBe(
      "0 of 1 pods have a sidecar, 0 should have one\nNeither namespace nor pods ask for a sidecar in quiet00: kubectl label namespace NAME istio-injection=enabled, if they should\n",
    );
    expect(await silence(10)).toContain("quiet08, quiet09: kubectl");
    expect(await silence(12)).toContain("quiet08, quiet09 and 2 more: kubectl");
  });

  it("lists those that are missing with the reason and what to do, and ends with a finding", async () => {
    const one = await askMissing(clusterOf(["web"], 0), {}, fakeIo());
    expect(one.text).toMatch(
      /^0 of 1 pods have a sidecar, 1 should have one\n\nPOD +OWNER +WHY +REMEDIATION\nshop\/web +\S+ +\S.*\n$/,
    );
    expect(one.cells).toEqual(["1", "0", "1"]);
    expect(one.said).toMatch(/^shop\/web: \S/);
    expect(one.finding).toMatchObject({
      code: "findings",
      message: "One pod of prod should have a sidecar and has none",
    });
    const io = fakeIo();
    const several = printMissing(clusterOf(["web", "cart"], 1), { json: true }, io);
    await expect(several).rejects.toThrow("2 pods of prod should have a sidecar and have none");
    expect(JSON.parse(io.out())).toMatchObject({ cluster: "prod", pods: 3, injected: 0, unlabelled: ["quiet00"] });
  });
});
