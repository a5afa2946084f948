// `node --import tsx tools/bench/rollback-latency.ts`: how long a rollback takes while edits pour in, in simulation: the publisher and
// its waiting for edits as deployed, three calls of the function at a time, before the fake Parameter Store with its limits, on
// a virtual clock. Exits 1 where the 99th percentile is over two seconds.
import { simulateRollbacks } from "./simulate-rollbacks.ts";

const GOAL = 2000;
const scenarios = [
  { what: "no edits", editEvery: undefined },
  { what: "an edit every 5 s", editEvery: 5000 },
  { what: "an edit a second", editEvery: 1000 },
  { what: "two edits a second", editEvery: 500 },
] as const;

for (const { what, editEvery } of scenarios) {
  const { waits, edits, publications, throttled } = await simulateRollbacks({
    editEvery,
    rollbacks: 100,
    pause: 15_000,
  });
  const at = (share: number) => Math.round(waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0);
  console.log(
    `${what}: ${waits.length} rollbacks, median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms; ${edits} edits, ${publications} publications, ${throttled} calls throttled`,
  );
  if (at(0.99) > GOAL) process.exitCode = 1;
}
