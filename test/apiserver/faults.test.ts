// Commands on a real API server of which one request fails, or two commands at once: pods are made all the while. None is rejected, none
// is without a sidecar that had one coming, and the next command ends right.
// More: OUTRIGGER_FAULT_RUNS=500. OUTRIGGER_FAULT_SEED names the first; each begins with what the one before has left.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { turnOf } from "../support/in-turn.ts";
import { pick, type Random, randomOf } from "../support/random.ts";
import { type Fault, faultKinds, startFaultyProxy } from "./support/faulty-proxy.ts";
import { openRealLab, type RealLab, waitsForApiServer } from "./support/real-lab.ts";
import {
  prepareRegistration,
  reachAt,
  registrationSteps,
  type Step,
  watchPods,
  whyWrong,
  wrongPods,
} from "./support/registration-steps.ts";

const ASKED = process.env["OUTRIGGER_FAULT_RUNS"];
const RUNS = Number(ASKED ?? 8);
const FIRST = Number(process.env["OUTRIGGER_FAULT_SEED"] ?? 1);
/** Each begins with what the one before has left: a commit takes the first half of them, or the second. */
const turn = turnOf("Faults at a random request, on a real API server", 2);
const SEEDS = Array.from({ length: RUNS }, (_, at) => FIRST + at).filter(
  (_, at) => ASKED !== undefined || turn.has(Math.floor((at * turn.shares) / RUNS)),
);
const COUNT = SEEDS.length;
const LIMIT = { timeout: 600_000 + RUNS * 10_000 };
/** More requests than any of these commands makes are made at times, by its undo. */
const MOST_REQUESTS = 26;

const STEPS: readonly Step[] = Object.values(registrationSteps);

describe("a fault at a random request, on a real API server", () => {
  let lab: RealLab;
  let proxy: Awaited<ReturnType<typeof startFaultyProxy>>;
  beforeAll(async () => {
    lab = await openRealLab();
    lab.sleep = waitsForApiServer;
    proxy = await startFaultyProxy(lab.api);
    await prepareRegistration(lab);
    reachAt(lab, proxy.url);
  });
  afterAll(async () => {
    await proxy?.close();
    await lab?.close();
  });

  const stepsOf = (random: Random): readonly Step[] => {
    const step = pick(random, STEPS);
    return random() < 0.25 ? [step, pick(random, STEPS)] : [step];
  };

  it(`rejects no pod, leaves no sidecar out, and the next command ends right, in ${COUNT} runs`, LIMIT, async () => {
    const faults: string[] = [];
    // A long run says at once what it finds.
    const note = (fault: string) => {
      faults.push(fault);
      console.log(fault);
    };
    const counts = { pods: 0, failed: 0 };
    let isServing = false;
    for (const run of SEEDS) {
      const random = randomOf(run);
      // Half of all runs begin with a cluster that is registered, as most of a cluster's life is.
      if (!isServing && random() < 0.6) {
        const why = await whyWrong(lab, pick(random, STEPS.slice(0, 4)));
        if (why !== undefined) note(`run ${run}, before: ${why}`);
        isServing = why === undefined;
      }
      const steps = stepsOf(random);
      const fault: Fault = { kind: pick(random, faultKinds), at: Math.floor(random() * MOST_REQUESTS) };
      const what = `run ${run}: ${steps.map(({ argv }) => argv.join(" ")).join(" and ")}, ${fault.kind} at ${fault.at}`;
      const isKept = isServing && steps.every(({ leaves }) => leaves === "serving");
      const podsSeen = watchPods(lab);
      proxy.disturb(fault);
      const ended = await Promise.all(steps.map(({ argv }) => lab.run(...argv)));
      proxy.disturb(undefined);
      const pods = await podsSeen();
      counts.pods += pods.length;
      counts.failed += ended.filter(({ code }) => code !== 0).length;
      const wrong = wrongPods(pods, isKept);
      if (wrong !== undefined) note(`${what}: ${wrong}`);
      const [next = steps[0]] = steps.slice(-1);
      const why = next && (await whyWrong(lab, next));
      if (why !== undefined) note(`${what}; the next ${next?.argv.join(" ")}: ${why}`);
      isServing = why === undefined && next?.leaves === "serving";
    }
    console.log(`${COUNT} runs, ${counts.failed} commands failed, ${counts.pods} pods made meanwhile`);
    expect(faults).toEqual([]);
  });
});
