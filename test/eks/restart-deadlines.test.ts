// How long a restart waits for a workload: as long as it makes progress, and no longer.
import type { JsonObject } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { labOfEachTest, MINUTE } from "./restart-suite.ts";

describe("runRestart() with deadlines", { timeout: 240_000 }, () => {
  const lab = labOfEachTest();

  it("does not count the time for which it was suspended as a workload's own", async () => {
    lab.put("Deployment", "w-0", { replicas: 1, progressDeadlineSeconds: 120 });
    await lab.settle();
    lab.state.served = "new";
    const start = lab.now();
    const seconds = () => (lab.now() - start) / 1000;
    // Down for a moment, just when the command wakes.
    lab.state.fateOf = () => (seconds() >= 128 && seconds() < 150 ? {} : { readyAfter: 1000 });
    const ports = lab.portsOf();
    let sleeps = 0;
    const sleep = async (milliseconds: number) => {
      if (++sleeps === 20) lab.wait(90_000);
      await ports.sleep(milliseconds);
    };
    const asked = { question: { inPlace: [] }, ...MINUTE };
    expect(await lab.restart(asked, { ...ports, sleep })).toMatchObject({ state: "done", done: 1 });
  });

  it.each<["StatefulSet" | "Deployment" | "Rollout", JsonObject, number]>([
    ["StatefulSet", { replicas: 15 }, 45_000],
    ["Deployment", { replicas: 15, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }, 45_000],
    ["Rollout", { replicas: 15 }, 45_000],
  ])("waits for a healthy %s for as long as it makes progress", async (kind, spec, readyAfter) => {
    lab.put(kind, "w-0", spec);
    await lab.settle();
    lab.state.served = "new";
    lab.state.fateOf = () => ({ readyAfter });
    const start = lab.now();
    expect(await lab.restart()).toMatchObject({ state: "done", done: 1 });
    expect(lab.now() - start).toBeGreaterThan(600_000);
  });

  it("waits no longer than the deadline for a pod that goes down once its Deployment was complete", async () => {
    lab.put("Deployment", "w-0");
    await lab.settle();
    lab.state.served = "new";
    const ports = lab.portsOf();
    const isStuck = (pod: JsonObject) => lab.podsOf("w-0")[0]?.metadata?.name === (pod as Pod).metadata?.name;
    const sleep = async (milliseconds: number) => {
      if (lab.imagesOf("w-0").every((image) => image === "side:new") && lab.podsOf("w-0").length === 2) {
        lab.state.fateOf = (pod) => (isStuck(pod) ? {} : { readyAfter: 1000 });
      }
      await ports.sleep(milliseconds);
    };
    const { state, failure } = await lab.restart({ bake: 60 }, { ...ports, sleep });
    expect([state, failure?.why]).toEqual(["failed", "after 600 s, 1 of 2 new pods are available"]);
  });

  it("does not wait for a Deployment that is paused meanwhile", async () => {
    lab.put("Deployment", "w-0");
    await lab.settle();
    lab.state.served = "new";
    const ports = lab.portsOf();
    const place = "/apis/apps/v1/namespaces/shop/deployments/w-0";
    const stored = () => lab.api.objects.get(place) as Readonly<Record<"metadata" | "spec" | "status", JsonObject>>;
    const sleep = async (milliseconds: number) => {
      const isUnderWay = stored().status["updatedReplicas"] === 1;
      if (isUnderWay && stored().spec["paused"] !== true) {
        lab.api.edit(place, "ann", (now) => ({ ...now, spec: { ...stored().spec, paused: true } }));
        // Its controller sees that it is paused, and from then on counts no deadline.
        const observedGeneration = stored().metadata["generation"] as number;
        lab.api.put(place, { ...stored(), status: { ...stored().status, observedGeneration } });
      }
      await ports.sleep(milliseconds);
    };
    const { state, failure } = await lab.restart({}, { ...ports, sleep });
    expect([state, failure?.why]).toEqual(["failed", "after 600 s, 1 of 2 new pods have been made"]);
  });
});
