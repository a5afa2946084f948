// `outrigger off` while a registration runs, at each of its calls: off is stronger than everything that began before it.
import type { JsonObject } from "@outrigger/base";
import { clusterStatus, kubeClient, registerCluster, switchOff } from "@outrigger/cluster";
import { describe, expect, it } from "vitest";
import { CLUSTER, type ClusterLab, openClusterLab, resetTo } from "./cluster-lab.ts";

const EARLIER = "2026-11-20T00:00:00Z";
const AT = "2026-11-22T03:00:00Z";
const ENFORCE = { phase: "enforce", safetyNet: "deny", tags: ["prod"] } as const;

type Asked = Parameters<ClusterLab["request"]>[0];

const scenarios: readonly (readonly [string, (lab: ClusterLab) => Promise<unknown>, Asked])[] = [
  ["a first registration", async () => {}, ENFORCE],
  ["a repair that changes something", (lab) => register(lab, ENFORCE), { timeoutSeconds: 7 }],
  ["a repair that drops a tag and its safety net", (lab) => register(lab, ENFORCE), { tags: [] }],
  ["a step from cluster to enforce", (lab) => register(lab, { phase: "cluster" }), ENFORCE],
  ["a second revision", (lab) => register(lab, ENFORCE), { phase: "enforce", safetyNet: "deny", revision: "1-30" }],
  [
    "switching on again",
    async (lab) => {
      await register(lab, ENFORCE);
      await switchOff(lab.ports.kube, { remove: false, at: EARLIER });
    },
    {},
  ],
];

function register(lab: ClusterLab, asked: Asked, ports = lab.ports): Promise<unknown> {
  return registerCluster(lab.request(asked), ports);
}

const objects = (lab: ClusterLab) => [...lab.api.objects.values()].filter(({ kind }) => kind !== "Namespace");

function strict(lab: ClusterLab): readonly unknown[] {
  return objects(lab).flatMap(({ webhooks, spec }) => [
    ...((webhooks ?? []) as JsonObject[]).filter(({ failurePolicy }) => failurePolicy !== "Ignore"),
    ...(JSON.stringify(spec ?? {}).includes('"Deny"') ? [spec] : []),
  ]);
}

const marks = (lab: ClusterLab) =>
  objects(lab)
    .filter(({ kind }) => kind === "MutatingWebhookConfiguration")
    .map(
      ({ metadata }) => ((metadata as JsonObject)["annotations"] as JsonObject)["outrigger/off"] as string | undefined,
    );

interface Run {
  /** Whether off was run, and found something. */
  readonly isOff: boolean;
  readonly error: string | undefined;
}

/** Runs off before the call of that number, of the API server or another. */
async function runWithOff(lab: ClusterLab, asked: Asked, call: number, remove: boolean): Promise<Run | undefined> {
  let count = 0;
  let done: readonly string[] | undefined;
  const counted = async () => {
    if (++count === call) ({ done } = await switchOff(lab.ports.kube, { remove, at: AT }));
  };
  const kube = kubeClient({
    name: CLUSTER.name,
    sleep: async () => {},
    exchange: async (request) => {
      await counted();
      return lab.api.direct(request);
    },
  });
  const error = await register(lab, asked, { ...lab.ports, kube, selfTest: counted }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return done === undefined ? undefined : { isOff: done.length > 0, error };
}

/** A laboratory whose API server and webhook are asked without a network. */
async function openLab(): Promise<ClusterLab> {
  const lab = await openClusterLab();
  lab.api.webhook = (_url, pod) => {
    const metadata = { ...(pod["metadata"] as JsonObject), annotations: { "sidecar.istio.io/status": "{}" } };
    return { ...pod, metadata };
  };
  const kube = kubeClient({ name: CLUSTER.name, sleep: async () => {}, exchange: lab.api.direct });
  return { ...lab, ports: { ...lab.ports, kube, selfTest: async () => {} } };
}

describe("outrigger off while a registration runs", { timeout: 300_000 }, () => {
  it.each(
    scenarios.flatMap(([what, prepare, asked]) => [false, true].map((remove) => ({ what, prepare, asked, remove }))),
  )("is not undone by $what, remove: $remove", async ({ prepare, asked, remove }) => {
    const lab = await openLab();
    const undone: unknown[] = [];
    let [runs, stopped] = [0, 0];
    try {
      await prepare(lab);
      const reset = resetTo(lab);
      // The registration begins with its first call.
      for (let call = 2; ; call++) {
        reset();
        const run = await runWithOff(lab, asked, call, remove);
        if (run === undefined) break;
        runs++;
        expect(run.isOff).toBe(true);
        if (run.error !== undefined) stopped++;
        const kept = remove ? [] : marks(lab).filter((mark) => mark?.endsWith(AT) !== true);
        if (strict(lab).length > 0 || kept.length > 0) undone.push([call, strict(lab), kept]);
        expect(lab.publisher.records.get(CLUSTER.name)?.lease).toBeUndefined();
        // What is left calls with a token that is live.
        const { drift } = await clusterStatus(lab.ports.kube, lab.question());
        expect(drift.filter(({ place }) => place.includes("token"))).toEqual([]);
      }
    } finally {
      await lab.close();
    }
    expect(undone).toEqual([]);
    expect([runs > 15, stopped > 3]).toEqual([true, true]);
  });

  it.each([false, true])("marks a cluster that has nothing of Outrigger yet, remove: %s", async (remove) => {
    const lab = await openLab();
    try {
      const run = await runWithOff(lab, ENFORCE, 3, remove);
      expect(run?.error).toContain("it stays off");
      expect(objects(lab).map(({ metadata }) => (metadata as JsonObject)["name"])).toEqual(["outrigger-off"]);
      expect(lab.publisher.records.size).toBe(0);
      // Switching on again takes the mark away.
      await register(lab, ENFORCE);
      expect([strict(lab).length > 0, JSON.stringify(objects(lab)).includes("outrigger-off")]).toEqual([true, false]);
    } finally {
      await lab.close();
    }
  });

  it("says so where the cluster may not be marked", async () => {
    const lab = await openLab();
    try {
      lab.api.faults.push({ method: "PATCH", path: "outrigger-off", status: 403 });
      const { done, left } = await switchOff(lab.ports.kube, { remove: false, at: AT });
      expect([done.length, left]).toEqual([1, []]);
      expect(done[0]).toContain("a registration that is running is not stopped");
    } finally {
      await lab.close();
    }
  });

  it("is said, with how to switch on again", async () => {
    const lab = await openLab();
    try {
      await register(lab, ENFORCE);
      const { error } = (await runWithOff(lab, { timeoutSeconds: 7 }, 12, false)) ?? {};
      expect(error).toContain(`was switched off in the meantime (outrigger off, ${AT}): it stays off`);
      expect(error).toContain("outrigger register");
      await register(lab, {});
      expect([strict(lab).length > 0, marks(lab)]).toEqual([true, [undefined, undefined]]);
      expect(JSON.stringify(objects(lab))).not.toContain("outrigger/off");
    } finally {
      await lab.close();
    }
  });
});
