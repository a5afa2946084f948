// A rollout that the pods judge, against an API server with controllers: what it restarts, when it continues, and when it takes all
// of it back.
import type { JsonObject } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { readJournal } from "@outrigger/rollouts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inTurn, turnOf } from "../support/in-turn.ts";
import { Killed, openRestartLab, type RestartLab } from "./restart-lab.ts";
import { killsOf } from "./restart-suite.ts";
import { isNew, rolloutOf } from "./rollout-lab.ts";
import type { TestFate as Fate } from "./workload-controllers.ts";

const KINDS = ["Deployment", "StatefulSet", "DaemonSet", "Rollout"] as const;
const WELL: Fate = { readyAfter: 3000 };
const appOf = (pod: JsonObject) => (pod as unknown as Pod).metadata?.labels?.["app"] ?? "";

describe("runRollout()", { timeout: 240_000 }, () => {
  let lab: RestartLab;
  beforeEach(async () => {
    lab = await openRestartLab();
  });
  afterEach(() => lab.close());

  const names = (count: number) => Array.from({ length: count }, (_, index) => `w-${String(index).padStart(2, "0")}`);
  const fill = async (count: number) => {
    for (const [index, name] of names(count).entries()) lab.put(KINDS[index % 4] as "Deployment", name);
    await lab.settle();
    lab.api.calls.length = 0;
  };
  const allOld = () => expect(names(20).flatMap((name) => lab.imagesOf(name))).not.toContain("side:new");

  it("restarts what each share has gained, once, and continues when its pods have been good", async () => {
    await fill(20);
    const rollout = rolloutOf(lab, [25, 50, 100]);
    const end = await rollout.run();
    expect(end.state).toBe("complete");
    expect([lab.state.served, lab.state.share]).toEqual(["new", undefined]);
    expect([...lab.writes()].toSorted()).toEqual(names(20).map((name) => [name, 1]));
    expect(rollout.steps.map((step) => step.split(":")[0])).toEqual([
      "next from 25 %",
      "next from 50 %",
      "next from 100 %",
    ]);
    expect(rollout.steps[0]).toMatch(
      /10m without an alarm of errors; \d restarted workloads? (?:is|are) back; the pods of its \d workloads? are well$/,
    );
    expect(rollout.withNew().size).toBe(20);
  });

  it.each<[string, (lab: RestartLab) => void, RegExp]>([
    [
      "crashes",
      (one) => {
        one.state.fateOf = (pod) => (isNew(pod) ? { crashes: { container: "side", exitCode: 1 } } : WELL);
      },
      /does not come back: pod \S+, container side: CrashLoopBackOff, exit code 1/,
    ],
    [
      "cannot be pulled",
      (one) => {
        one.state.fateOf = (pod) => (isNew(pod) ? { unpulled: "side" } : WELL);
      },
      /container side: ImagePullBackOff/,
    ],
    [
      "makes pods invalid",
      (one) => {
        one.state.check = (pod) => {
          if (isNew(pod)) throw new Error('Pod "x" is invalid: spec.containers[1].image: Required value');
        };
      },
      /was not restarted: the API server would not take its next pod: .*is invalid/,
    ],
    [
      "is slow to become ready",
      (one) => {
        one.state.fateOf = (pod) => (isNew(pod) ? { readyAfter: 60_000 } : WELL);
      },
      /slow to become ready/,
    ],
    [
      "is killed for memory now and then",
      (one) => {
        one.state.fateOf = (pod) =>
          isNew(pod) ? { readyAfter: 3000, endsOnce: { container: "side", after: 60_000, reason: "OOMKilled" } } : WELL;
      },
      /workloads (restarted|killed for memory) \(0 of \d+ before, 0 of \d+ others\)/,
    ],
  ])("takes a release back that %s, and its pods", async (_what, happen, why) => {
    await fill(20);
    happen(lab);
    const rollout = rolloutOf(lab, [25, 50, 100]);
    const end = await rollout.run();
    expect(end, end.why).toMatchObject({ state: "taken-back", why: expect.stringMatching(why) });
    expect(end.journal).toMatchObject({ state: "done", left: [], why: end.why });
    expect([lab.state.served, lab.state.share]).toEqual(["old", undefined]);
    allOld();
    expect(rollout.steps).toHaveLength(1);
  });

  it("shows the events and the end of the log of what does not come back, and stores neither", async () => {
    lab.put("Deployment", "w-00");
    await lab.settle();
    lab.state.fateOf = (pod) => (isNew(pod) ? { crashes: { container: "side", exitCode: 1 } } : WELL);
    await rolloutOf(lab, [100]).run();
    expect(lab.lines.join("\n")).toMatch(/\nThe end of the log of side:\n {2}.*said by side/);
    expect(JSON.stringify([...lab.api.objects])).not.toContain("said by");
  });

  it.each(["StatefulSet", "Rollout"] as const)("frees a %s that waits for a pod of the bad release", async (kind) => {
    lab.put(kind, "w-00");
    await lab.settle();
    lab.state.fateOf = (pod) => (isNew(pod) ? { crashes: { container: "side", exitCode: 1 } } : WELL);
    const end = await rolloutOf(lab, [100]).run();
    expect(end).toMatchObject({ state: "taken-back", journal: { state: "done", done: 1, left: [] } });
    expect(lab.imagesOf("w-00")).toEqual(["side:old", "side:old"]);
    expect(lab.api.calls.filter((call) => call.startsWith("DELETE"))).toHaveLength(1);
  });

  it("takes it back when an alarm is up, or a person does, whatever the restart is at", async () => {
    await fill(20);
    const rollout = rolloutOf(lab, [50, 100]);
    const ports = rollout.portsOf();
    const sleep = async (milliseconds: number) => {
      if (rollout.withNew().size === 4) rollout.alarm.state = "ALARM";
      await ports.sleep(milliseconds);
    };
    expect(await rollout.run({ ...ports, sleep })).toMatchObject({
      state: "taken-back",
      why: "alarm errors is up",
      journal: { left: [] },
    });
    allOld();
    const second = rolloutOf(lab, [50, 100]);
    const others = second.portsOf();
    let isAborted = false;
    const abort = async (milliseconds: number) => {
      if (!isAborted && second.withNew().size === 4) {
        isAborted = true;
        second.step("back", "More 503s than before");
      }
      await others.sleep(milliseconds);
    };
    expect(await second.run({ ...others, sleep: abort })).toMatchObject({
      state: "taken-back",
      why: "More 503s than before",
    });
    allOld();
  });

  it("does not take it back for what its workloads did before, or the others do too", async () => {
    const isShaky = (pod: JsonObject) => Number(appOf(pod).slice(2)) % 3 === 0;
    lab.state.fateOf = (pod) =>
      isShaky(pod) ? { readyAfter: 3000, endsOnce: { container: "app", after: 20_000 } } : WELL;
    await fill(20);
    lab.wait(60_000);
    await lab.settle();
    expect((await rolloutOf(lab, [50, 100]).run()).state).toBe("complete");
  });

  it("does not take it back where the author's own image is gone: a person looks", async () => {
    await fill(20);
    lab.state.fateOf = (pod) => (isNew(pod) ? { unpulled: "app" } : WELL);
    const rollout = rolloutOf(lab, [50, 100]);
    const end = await rollout.run();
    expect(end).toMatchObject({ state: "waiting", why: expect.stringContaining("container app: ImagePullBackOff") });
    expect(rollout.steps).toEqual([]);
  });

  describe("while the share's verdict is to wait", () => {
    type Verdict = Awaited<ReturnType<ReturnType<ReturnType<typeof rolloutOf>["portsOf"]>["judge"]>>;
    /** The end of a rollout whose restarted share is judged by the milliseconds since it was first asked about. */
    const endAfter = async (judge: (waited: number) => Verdict) => {
      await fill(4);
      const rollout = rolloutOf(lab, [100]);
      const ports = rollout.portsOf();
      let begun: number | undefined;
      let waited = 0;
      const judged = async ({ restarted }: Parameters<typeof ports.judge>[0]): Promise<Verdict> => {
        if (restarted === undefined) return { kind: "wait", why: "restarting", isBaking: true };
        begun ??= lab.now();
        waited = lab.now() - begun;
        if (waited > 24 * 3_600_000) throw new Error("it waits without end");
        return judge(waited);
      };
      const { state, why } = await rollout.run({ ...ports, judge: judged });
      return { state, why, minutes: Math.floor(waited / 60_000) };
    };
    const advance: Verdict = { kind: "advance", percent: 100, why: "well" };
    const stuck: Verdict = { kind: "wait", why: "alarm errors has no data", stuck: 1 };

    it("leaves it to a person at once where only a person begins the next share", async () => {
      const end = await endAfter(() => ({ kind: "wait", why: "the next share is begun by a person" }));
      expect(end).toEqual({ state: "waiting", why: "the next share is begun by a person", minutes: 0 });
    });

    it("waits as long as it bakes, which is no matter for a person", async () => {
      const baking: Verdict = { kind: "wait", why: "it bakes", isBaking: true };
      const end = await endAfter((waited) => (waited < 2 * 3_600_000 ? baking : advance));
      expect(end).toMatchObject({ state: "complete", minutes: 120 });
    });

    it("gives what is stuck ten minutes, and then leaves it to a person", async () => {
      expect(await endAfter(() => stuck)).toEqual({ state: "waiting", why: stuck.why, minutes: 10 });
      const late = await endAfter((waited) => (waited < 9 * 60_000 ? stuck : advance));
      expect(late).toMatchObject({ state: "complete", minutes: 9 });
    });

    it("begins the ten minutes again when it was not stuck in between", async () => {
      const baking: Verdict = { kind: "wait", why: "it bakes", isBaking: true };
      const end = await endAfter((waited) => (waited > 8 * 60_000 && waited < 9 * 60_000 ? baking : stuck));
      expect(end).toMatchObject({ state: "waiting", why: stuck.why, minutes: 19 });
    });
  });

  describe("wherever it is killed", { timeout: 600_000 }, () => {
    const itInTurn = inTurn(it, turnOf("Rollouts killed", 2));
    for (const isBad of [false, true])
      itInTurn(`comes to the same end, of a ${isBad ? "bad" : "good"} release`, async () => {
        const prepare = async () => {
          await fill(4);
          if (isBad) lab.state.fateOf = (pod) => (isNew(pod) ? { crashes: { container: "side", exitCode: 1 } } : WELL);
          return rolloutOf(lab, [50, 100]);
        };
        const first = await prepare();
        const whole = first.portsOf();
        const expected = (await first.run(whole)).state;
        expect([expected, whole.calls() > 40]).toEqual([isBad ? "taken-back" : "complete", true]);
        const writes = [...lab.writes()].toSorted();
        for (const kill of killsOf([...lab.api.calls], 61)) {
          await lab.close();
          lab = await openRestartLab();
          const rollout = await prepare();
          await expect(rollout.run(rollout.portsOf(kill))).rejects.toThrow(Killed);
          lab.wait(61_000);
          expect((await rollout.run()).state).toBe(expected);
          expect([...lab.writes()].toSorted()).toEqual(writes);
          if (isBad) expect(names(4).flatMap((name) => lab.imagesOf(name))).not.toContain("side:new");
          expect((await readJournal(lab.portsOf().kube))?.state).toBe("done");
        }
      });
  });
});
