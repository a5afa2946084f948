// A webhook that, for some seconds or for good, answers with what was served before: such pods are restarted once more, and no third time.
import type { JsonObject } from "@outrigger/base";
import { readStatus } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { labOfEachTest } from "./restart-suite.ts";

describe("runRestart() with a webhook that is late", { timeout: 240_000 }, () => {
  const lab = labOfEachTest();

  it.each<readonly ["Deployment" | "StatefulSet" | "DaemonSet" | "Rollout", "well" | "crashing" | "urgent"]>([
    ...(["Deployment", "StatefulSet", "DaemonSet", "Rollout"] as const).map((kind) => [kind, "well"] as const),
    ...(["Deployment", "StatefulSet", "Rollout"] as const).map((kind) => [kind, "crashing"] as const),
    ...(["Deployment", "StatefulSet", "Rollout"] as const).map((kind) => [kind, "urgent"] as const),
  ])("restarts a %s once more where the webhook answered with what was served before (%s)", async (kind, how) => {
    const [before, release] = how === "urgent" ? ["new", "old"] : ["old", "new"];
    lab.state.served = before;
    lab.put(kind, "w-0");
    await lab.settle();
    lab.state.served = release;
    lab.state.answers = before;
    const start = lab.now();
    lab.state.answersUntil = start + 10_000;
    const crashes = { container: "side", exitCode: 1 };
    const isLate = (pod: JsonObject) => Date.parse(String((pod as Pod).metadata?.creationTimestamp)) >= start;
    lab.state.fateOf = (pod) => {
      const isBad = how !== "well" && readStatus(pod as Pod)?.madeBy?.release === before;
      return isBad && (how === "urgent" || isLate(pod)) ? { crashes } : { readyAfter: 1000 };
    };
    const question = how === "urgent" ? { release: before } : {};
    expect(await lab.restart({ question })).toMatchObject({ state: "done", left: [], done: 1 });
    expect(new Set(lab.podsOf("w-0").map((pod) => readStatus(pod)?.madeBy?.release))).toEqual(new Set([release]));
    expect([...lab.writes().values()]).toEqual([2]);
  });

  it("restarts no workload a third time where the webhook never answers with what is served", async () => {
    lab.put("Deployment", "w-0");
    await lab.settle();
    lab.state.served = "new";
    lab.state.answers = "old";
    expect(await lab.restart()).toMatchObject({
      state: "failed",
      failure: { workload: "shop/Deployment/w-0", why: "its new pods differ from what the release injects" },
    });
    expect([...lab.writes().values()]).toEqual([2]);
  });

  it("leaves a workload that is well where a budget never allows its second restart, and names the budget", async () => {
    for (const name of ["w-0", "w-1"]) lab.put("Deployment", name);
    lab.putBudget("few", { app: "w-0" });
    await lab.settle();
    lab.state.served = "new";
    lab.state.answers = "old";
    lab.state.answersUntil = lab.now() + 10_000;
    const ports = lab.portsOf();
    const sleep = async (milliseconds: number) => {
      if (lab.writes().size > 0) lab.putBudget("few", { app: "w-0" }, { minAvailable: "100%" });
      await ports.sleep(milliseconds);
    };
    expect(await lab.restart({}, { ...ports, sleep })).toMatchObject({
      state: "done",
      done: 1,
      left: [{ workload: "shop/Deployment/w-0", why: expect.stringMatching(/^its new pods have what .* few allows/) }],
    });
    expect(Object.fromEntries(lab.writes())).toEqual({ "w-0": 1, "w-1": 1 });
  });

  it("ends when it is to stop, where new pods have what was served before", async () => {
    lab.put("Deployment", "w-0");
    await lab.settle();
    lab.state.served = "new";
    lab.state.answers = "old";
    const controller = new AbortController();
    const ports = lab.portsOf();
    const sleep = async (milliseconds: number) => {
      if (lab.writes().size > 0) controller.abort();
      await ports.sleep(milliseconds);
    };
    const journal = await lab.restart({}, { ...ports, sleep, signal: controller.signal });
    expect(journal).toMatchObject({ state: "stopped", done: 0, waiting: 0 });
    lab.state.answers = undefined;
    expect(await lab.restart({ isResumed: true })).toMatchObject({ state: "done", done: 1 });
  });

  it("says that another release is served, not that pods are wrong", async () => {
    lab.put("Deployment", "w-0");
    await lab.settle();
    lab.state.served = "new";
    lab.state.isWebhookUp = false;
    const whyMoved = async () => "another release is served by now";
    const { state, failure } = await lab.restart({}, { ...lab.portsOf(), whyMoved });
    // No workload is to blame.
    expect([state, failure]).toEqual(["failed", { why: "another release is served by now" }]);
  });
});
