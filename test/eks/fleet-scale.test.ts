// Many clusters at once: how long a check of all takes, in calls and memory, and what is said of those that cannot be asked. Of 300
// clusters at 200 ms a call:
//   FLEET_CLUSTERS=300 FLEET_LATENCY=200 npx vitest run --project unit test/eks/fleet-scale.test.ts
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inTurn, turnOf } from "../support/in-turn.ts";
import type { CliLab } from "./cli-lab.ts";
import { deployedPods } from "./deployed-pods.ts";
import { manyClusters } from "./many-clusters.ts";
import { openRegisteredLab } from "./registered-lab.ts";

const CLUSTERS = Number(process.env["FLEET_CLUSTERS"] ?? 22);
/** Milliseconds. */
const LATENCY = Number(process.env["FLEET_LATENCY"] ?? 10);
const AT_ONCE = 20;
/** Schedules of faults of five clusters: 40 have each fate with each command several times. */
const SCHEDULES = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 40);

/** Calls of one cluster, all one after the other, that fit into ten minutes for 300 clusters at 200 ms a call with 20 at once. */
const MOST_CALLS = 600 / 0.2 / (300 / AT_ONCE);

describe("many clusters", { timeout: 1_200_000 }, () => {
  let lab: CliLab;
  beforeEach(async () => {
    lab = await openRegisteredLab();
    const run = deployedPods(() => lab);
    for (const name of ["cart", "pay", "web"]) await run(name);
  });
  afterEach(() => lab.close());

  const itInTurn = inTurn(it, turnOf("Checks of many clusters", 2));

  itInTurn("are checked in minutes, with bounded memory and no call of the deployment for each", async () => {
    const servers = await manyClusters(lab, CLUSTERS - 1);
    let [calls, under, most] = [0, 0, 0];
    const busy = new Map<string, number>();
    for (const [name, api] of [["shop", lab.api] as const, ...servers]) {
      api.before = async () => {
        calls++;
        busy.set(name, (busy.get(name) ?? 0) + 1);
        under = [...busy.values()].filter((count) => count > 0).length;
        most = Math.max(most, under);
        await setTimeout(LATENCY);
      };
      api.after = () => busy.set(name, (busy.get(name) ?? 1) - 1);
    }
    let peak = process.memoryUsage.rss();
    const before = peak;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 100);
    const asked = lab.services.asked.length;
    const start = performance.now();
    const { out } = await lab.run("check", "--all", "--max-concurrency", String(AT_ONCE));
    const seconds = (performance.now() - start) / 1000;
    clearInterval(watch);
    const ofAws = lab.services.asked.slice(asked);
    const megabytes = (bytes: number) => Math.round(bytes / 1_000_000);
    console.info(
      `check --all: ${CLUSTERS} clusters, ${LATENCY} ms a call, ${AT_ONCE} at once: ${seconds.toFixed(0)} s, ${calls} calls of API servers, ${ofAws.length} of AWS, ${megabytes(peak)} MB at most (${megabytes(before)} MB before)`,
    );
    const rows = out.trimEnd().split("\n").slice(1);
    expect(rows.length).toBe(CLUSTERS + 1);
    // However slow the machine is: what this process does meanwhile is nobody's fault.
    expect(rows.filter((row) => /^(?:shop|c\d+) .* sound$/.test(row)).length, out).toBe(CLUSTERS);
    expect(calls / CLUSTERS).toBeLessThan(MOST_CALLS);
    expect(most).toBeLessThanOrEqual(AT_ONCE);
    expect(seconds).toBeLessThan(600);
    // The deployment is asked what it is asked for one cluster; of EKS, each cluster once.
    const count = (action: string) => ofAws.filter((call) => call.action === action).length;
    expect(count("eks:DescribeCluster")).toBe(CLUSTERS);
    expect(count("cloudwatch:DescribeAlarms")).toBe(1);
    expect(ofAws.length - CLUSTERS).toBeLessThan(150 + 4 * CLUSTERS);
    expect(peak - before).toBeLessThan(600_000_000);
  });

  itInTurn("each have a true row, whichever are unreachable, throttled and forbidden", async () => {
    const servers = await manyClusters(lab, 5);
    const names = [...servers.keys()];
    const fates = ["well", "unreachable", "forbidden", "throttled", "throttled for ever", "unknown to EKS"] as const;
    const described = new Map(names.map((name) => [name, lab.services.clusters.get(name)] as const));
    const schedule = fc.record({
      fates: fc.array(fc.constantFrom(...fates), { minLength: 5, maxLength: 5 }),
      order: fc.shuffledSubarray(names, { minLength: 1 }),
      atOnce: fc.integer({ min: 1, max: 6 }),
      command: fc.constantFrom(["pods"], ["check", "--section", "registration"], ["restart", "status"]),
    });
    await fc.assert(
      fc.asyncProperty(schedule, async ({ fates, order, atOnce, command }) => {
        for (const [index, [name, api]] of [...servers].entries()) {
          const fate = fates[index];
          api.faults.length = 0;
          api.before = () => {
            if (fate === "unreachable") throw new Error("cut");
          };
          const fault = { method: "GET", path: "/" };
          if (fate === "forbidden") api.faults.push({ ...fault, status: 403 });
          if (fate === "throttled") api.faults.push({ ...fault, status: 429, retryAfter: "1", times: 3 });
          if (fate === "throttled for ever") api.faults.push({ ...fault, status: 429, retryAfter: "1" });
          if (fate === "unknown to EKS") lab.services.clusters.delete(name);
          else lab.services.clusters.set(name, described.get(name) as object);
        }
        const argv = [...command, "--clusters", order.join(","), "--max-concurrency", String(atOnce), "-o", "json"];
        const { code, out } = await lab.run(...argv);
        const items = JSON.parse(out) as readonly { cluster: string; exitCode: number; error?: { message: string } }[];
        expect(items.map(({ cluster }) => cluster)).toEqual(order);
        for (const { cluster, exitCode, error } of items) {
          const fate = fates[names.indexOf(cluster)] as (typeof fates)[number];
          // Nothing was restarted in any of them, which their API servers say.
          const isAsked = (fate === "well" || fate === "throttled") && command[0] !== "restart";
          expect([cluster, fate, exitCode]).toEqual([cluster, fate, isAsked ? 0 : 3]);
          if (isAsked) expect(error).toBeUndefined();
          else expect(error?.message).toMatch(REASONS[fate]);
        }
        expect(code).toBe(Math.max(...items.map(({ exitCode }) => exitCode)));
      }),
      { numRuns: SCHEDULES },
    );
  });
});

const REASONS = {
  well: /^Nothing was restarted in /,
  throttled: /^Nothing was restarted in /,
  unreachable: /^Cannot reach the API server of cluster c\d+/,
  forbidden: /^(?:Not allowed|Cannot|Cluster|You)/,
  "throttled for ever": /busy|too many|429/i,
  "unknown to EKS": /^There is no cluster "c\d+" in eu-west-1/,
} as const;
