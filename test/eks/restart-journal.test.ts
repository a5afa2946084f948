// What a restart writes down of itself: which question is continued, who holds it, and what one that was taken over or stopped may still do.
import type { JsonObject } from "@outrigger/base";
import { readStatus } from "@outrigger/injector";
import { interruptedSince, readJournal, stopJournal } from "@outrigger/rollouts";
import { describe, expect, it } from "vitest";
import { Killed } from "./restart-lab.ts";
import { failing, labOfEachTest, MINUTE } from "./restart-suite.ts";

describe("runRestart() and its journal", { timeout: 240_000 }, () => {
  const lab = labOfEachTest();

  it("continues a restart only for the same question, and a recent one", async () => {
    for (const name of ["w-0", "w-1"]) lab.put("Deployment", name);
    await lab.settle();
    lab.state.served = "new";
    const begin = async () => {
      const ports = lab.portsOf();
      const sleep = async () => {
        throw new Error("the process ends");
      };
      await expect(lab.restart({}, { ...ports, sleep })).rejects.toThrow("the process ends");
    };
    await begin();
    const journal = await readJournal(lab.portsOf().kube);
    // The lease was let go: nobody has to wait for it.
    expect(journal && interruptedSince(journal, lab.now())).toBeDefined();
    for (const question of [{ namespace: "checkout" }, { inPlace: [] }, { selector: "app=w-0" }]) {
      await expect(lab.restart({ question })).rejects.toMatchObject({
        code: "cluster-conflict",
        message: expect.stringMatching(/is not finished; continue it \(outrigger restart resume\), or stop it/),
      });
    }
    lab.wait(21 * 86_400_000);
    await expect(lab.restart()).rejects.toMatchObject({ code: "cluster-conflict" });
    expect(lab.writes().size).toBe(1);
    expect(await lab.restart({ isResumed: true })).toMatchObject({ state: "done", done: 2 });
  });

  it("does not take a restart back that was stopped while it was suspended", async () => {
    for (const name of ["w-0", "w-1", "w-2"]) lab.put("Deployment", name);
    await lab.settle();
    lab.state.served = "new";
    const ports = lab.portsOf();
    let isFrozen = false;
    const sleep = async (milliseconds: number) => {
      await ports.sleep(milliseconds);
      if (isFrozen || lab.writes().size === 0) return;
      isFrozen = true;
      lab.wait(90_000);
      expect(await stopJournal(lab.portsOf().kube, lab.now())).toMatchObject({ state: "stopped" });
    };
    await expect(lab.restart({}, { ...ports, sleep })).rejects.toMatchObject({
      code: "cluster-conflict",
      message: expect.stringContaining("it is stopped by now"),
    });
    expect(lab.writes().size).toBe(1);
    expect(await readJournal(lab.portsOf().kube)).toMatchObject({ state: "stopped" });
  });

  it("keeps its lease while one call takes minutes, and loses it to nobody", async () => {
    for (const name of ["w-0", "w-1"]) lab.put("Deployment", name);
    await lab.settle();
    lab.state.served = "new";
    let renew = () => {};
    let isKept = true;
    const every = (_milliseconds: number, call: () => void) => {
      renew = call;
      return () => {
        renew = () => {};
      };
    };
    let looks = 0;
    const look = async () => {
      if (looks++ !== 3) return undefined;
      for (let count = 0; count < 20; count++) {
        lab.wait(15_000);
        renew();
        await new Promise((resolve) => setImmediate(resolve));
      }
      const { kube } = lab.portsOf();
      isKept =
        interruptedSince(
          (await readJournal(kube)) as NonNullable<Awaited<ReturnType<typeof readJournal>>>,
          lab.now(),
        ) === undefined;
      return undefined;
    };
    expect(await lab.restart({}, { ...lab.portsOf(), every, look })).toMatchObject({ state: "done", done: 2 });
    expect(isKept).toBe(true);
    // It ends with the command.
    const { length } = lab.api.calls;
    renew();
    expect(lab.api.calls).toHaveLength(length);
  });

  it.each([false, true])("after a takeover, watches what was done before it too (in place: %j)", async (isInPlace) => {
    for (let index = 0; index < 4; index++) lab.put("Deployment", `w-${index}`);
    await lab.settle();
    lab.state.served = "new";
    failing(lab, 400_000, "w-0");
    const question = isInPlace ? { inPlace: [] } : {};
    const ports = lab.portsOf();
    const sleep = async (milliseconds: number) => {
      if (lab.lines.some((line) => line === "shop/Deployment/w-1 is back")) throw new Error("the process ends");
      await ports.sleep(milliseconds);
    };
    await expect(lab.restart({ question, ...MINUTE }, { ...ports, sleep })).rejects.toThrow("the process ends");
    const begun = [lab.writes().size, lab.changes().size];
    await lab.later(400);
    expect(await lab.restart({ question, isResumed: true })).toMatchObject({
      state: "failed",
      failure: { workload: "shop/Deployment/w-0", why: expect.stringContaining("it was back, and fell") },
    });
    expect([lab.writes().size, lab.changes().size]).toEqual(begun);
  });

  it.each<["takeover" | "stop", string, RegExp, string, JsonObject]>([
    ["takeover", "an image", /PATCH .*\/pods\/[^/]+$/, "new", { inPlace: [] }],
    ["takeover", "resources", /PATCH .*\/resize$/, "sized-more", { inPlace: [] }],
    ["takeover", "a restart", /PATCH .*\/deployments\/w-0$/, "new", {}],
    ["stop", "an image", /PATCH .*\/pods\/[^/]+$/, "new", { inPlace: [] }],
    ["stop", "a restart", /PATCH .*\/deployments\/w-0$/, "new", {}],
  ])("after a %s, what a suspended command had sent has no effect: %s", async (how, _what, call, release, question) => {
    const before = release === "new" ? "old" : "sized-old";
    lab.state.served = before;
    lab.put("Deployment", "w-0", { replicas: 1 });
    await lab.settle();
    lab.state.served = release;
    const { direct } = lab.api;
    let late: number | undefined;
    (lab.api as { direct: typeof direct }).direct = async (request) => {
      if (late !== undefined || !call.test(`${request.method} ${request.path.split("?")[0]}`)) return direct(request);
      late = 0;
      await lab.later(90);
      // The release is taken back: the pod is as it is to be, and nothing else writes into it.
      lab.state.served = before;
      if (how === "stop") await stopJournal(lab.portsOf().kube, lab.now());
      else expect(await lab.restart({ question, isResumed: true })).toMatchObject({ state: "done" });
      ({ status: late } = await direct(request));
      throw new Killed("its answer comes to nobody");
    };
    await expect(lab.restart({ question })).rejects.toThrow(Killed);
    expect(late).toBe(409);
    await lab.later(30);
    expect(lab.podsOf("w-0").map((pod) => readStatus(pod)?.madeBy?.release)).toEqual([before]);
  });

  it("stores of 12,000 workloads that are left as many as a ConfigMap takes, and how many more there are", async () => {
    const text = "x".repeat(200);
    for (let index = 0; index < 12_000; index++) {
      lab.api.put(`/api/v1/namespaces/shop/pods/bare-${index}-${text}`, {
        metadata: { name: `bare-${index}-${text}`, namespace: "shop" },
        spec: { containers: [{ name: "app", image: "app" }] },
        status: { phase: "Running" },
      });
    }
    lab.state.served = "new";
    const { left } = await lab.restart();
    expect(left).toHaveLength(12_000);
    const stored = lab.api.objects.get("/api/v1/namespaces/default/configmaps/outrigger-restart");
    expect(JSON.stringify(stored).length).toBeLessThan(1_048_576);
    const journal = await readJournal(lab.portsOf().kube);
    expect(journal?.left.length).toBeGreaterThan(1000);
    expect((journal?.left.length ?? 0) + (journal?.unlisted ?? 0)).toBe(12_000);
    expect((await lab.restart({ question: { namespace: "empty" } })).unlisted).toBeUndefined();
  });
});
