// How long a rollout takes to go back by its own judgement, and how often it does when nothing is wrong: simulated minute by minute.
//   node --import tsx tools/bench/simulate-rollouts.ts [runs]
import { randomOf, returned } from "../../test/support/simulated-rollout.ts";

const runs = Number(process.argv[2] ?? 1000);
const random = randomOf(9);

console.log("Minutes to the return, median (95 of 100), by what is wrong and the share's pods an hour");
console.log("| worse off | 2 | 20 | 200 | 2,000 |\n|---|---|---|---|---|");
for (const worse of [1, 0.2, 0.05]) {
  const cells = [2, 20, 200, 2000].map((perHour) => {
    const world = { perHour, worse, late: 0, share: 5, looks: 3 * 24 * 60 };
    const times = Array.from({ length: runs }, () => returned(world, random) ?? Number.POSITIVE_INFINITY);
    const sorted = times.toSorted((a, b) => a - b);
    const at = (part: number) => {
      const time = sorted[Math.floor(runs * part)] as number;
      return Number.isFinite(time) ? `${time}` : "over 4,320";
    };
    return `${at(0.5)} (${at(0.95)})`;
  });
  console.log(`| ${worse * 100} % | ${cells.join(" | ")} |`);
}
console.log("\nReturns of quiet rollouts: 5, 25 and 50 % for half an hour each, 2 % of the calls late, in bursts");
for (const perDay of [20, 200, 20_000]) {
  let returns = 0;
  for (let run = 0; run < runs * 10; run++) {
    const isReturned = [5, 25, 50].some((share) => {
      const world = { perHour: (perDay / 24) * (share / 100), worse: 0, late: 0.02, share, looks: 32 };
      return returned(world, random) !== undefined;
    });
    if (isReturned) returns++;
  }
  console.log(`${perDay} pods a day: ${returns} of ${runs * 10}`);
}
