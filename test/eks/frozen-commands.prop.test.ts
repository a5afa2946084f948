// Every pair of commands about a cluster, each frozen for longer than its lease at any of its calls while the other one runs: no
// pod is worse off at any moment, and what each command said last is true. Deterministic: OUTRIGGER_FROZEN_COMMANDS=1,3 runs every
// schedule in which one command is frozen and every ninth in which both are, and otherwise a sample.
import { describe, expect, it } from "vitest";
import { frozenCommands, statesBefore } from "./frozen-commands.ts";
import { type Freeze, freezes, preparedLab, runSchedule } from "./frozen-schedule.ts";

/** The distance, in calls, from one freeze that is tried to the next: of a command alone, and where the other one is frozen too. */
const [alone = 0, both = 0] = (process.env["OUTRIGGER_FROZEN_COMMANDS"] ?? "1597,797").split(",").map(Number);
if (!(alone >= 1 && both >= 1)) throw new Error("OUTRIGGER_FROZEN_COMMANDS is two numbers, as 1,3");

/** Pairs in which a schedule was found once that a sample passes over: every schedule of one freeze is run. */
const FOUND: ReadonlySet<string> = new Set([
  "a cluster that is not registered, register --phase audit, register --phase enforce",
  "a cluster that is not registered, clusters remove shop, register --phase enforce",
  "a cluster that injects, token rotate, off --remove",
]);

describe("two commands that freeze", { timeout: 7_200_000 }, () => {
  it.each(statesBefore)("reject no pod, and said what is true: %s", async (...before) => {
    const { lab, reset } = await preparedLab(before);
    const found: string[] = [];
    const counts = { pairs: 0, schedules: 0, lies: 0, worse: 0 };
    async function run(commands: Parameters<typeof runSchedule>[1]["commands"], first: Freeze, second?: Freeze) {
      reset();
      const { frozen, lies, worse } = await runSchedule(lab, { commands, first, ...(second && { second }) });
      const isReached = frozen[0] && (second === undefined || frozen[1]);
      if (isReached) {
        counts.schedules++;
        counts.lies += lies.length;
        counts.worse += worse.length;
        const [one, other] = [first, second].map((freeze) => freeze && ` (${freeze.how} ${freeze.call})`);
        const place = `${commands[0].name}${one}, ${commands[1].name}${other ?? ""}`;
        const seen = [...worse, ...lies].map((what) => `${place}: ${what}`);
        found.push(...seen);
        // At once: the whole takes hours.
        for (const line of seen) process.stdout.write(`${line}\n`);
      }
      return isReached;
    }
    try {
      for (const first of frozenCommands) {
        // Up to the call at which it is frozen, a command does what it does alone.
        reset();
        const never = { call: Number.POSITIVE_INFINITY, how: "in" } as const;
        const { calls } = await runSchedule(lab, { commands: [first, first], first: never });
        for (const second of frozenCommands) {
          // Each pair begins elsewhere: a sample of all of them has every call.
          const begin = counts.pairs++;
          const commands = [first, second] as const;
          const each = FOUND.has([before[0], first.name, second.name].join(", ")) ? 1 : alone;
          for (const how of freezes) {
            for (let call = 1 + (begin % each); call <= calls; call += each) await run(commands, { call, how });
            for (let call = 1 + (begin % both); call <= calls; call += both) {
              let other = 1 + (call % both);
              while (await run(commands, { call, how }, { call: other, how })) other += both;
            }
          }
        }
      }
    } finally {
      await lab.close();
    }
    process.stdout.write(`${before[0]}: ${JSON.stringify(counts)}\n`);
    expect(found).toEqual([]);
  });
});
