// The table of docs/contributing/scale.md: the result when many pods are made at once, with the settings that a deployment has and
// with those that the page says to raise.
import { type FleetOptions, simulateFleet } from "./simulate-fleet.ts";

/** Milliseconds: what is billed (docs/cost.md), and for a start the 200 of Lambda before. */
const TIMES = { warm: 2, cold: 250 + 200, ttl: 10_000 };
/** The defaults of serverless.yml. */
const DEFAULTS = { reserved: 100, rate: 200, burst: 100, ready: 2, ...TIMES };
const RAISED = { ...DEFAULTS, reserved: 300, rate: 1000, burst: 1000 };
const HIGH = { ...RAISED, reserved: 1000, rate: 5000, burst: 5000 };

type Row = readonly [what: string, settings: string, options: FleetOptions];

/** Returns the calls for so many pods: some pods are sent twice, as docs/cost.md assumes. */
const callsOf = (pods: number) => Math.round(pods * 1.2);

const ROWS: readonly Row[] = [
  ["5,000 pods in a minute, one cluster", "defaults", { calls: callsOf(5000), seconds: 60, ...DEFAULTS }],
  ["5,000 pods in ten seconds, one cluster", "defaults", { calls: callsOf(5000), seconds: 10, ...DEFAULTS }],
  ["5,000 pods in ten seconds, one cluster", "raised", { calls: callsOf(5000), seconds: 10, ...RAISED }],
  [
    "100 clusters in an ordinary hour",
    "defaults",
    { calls: callsOf((100 * 100_000) / 730), seconds: 3600, ...DEFAULTS },
  ],
  [
    "a Region after an outage: 100 clusters, 200 pods each, ten seconds",
    "defaults",
    { calls: callsOf(20_000), seconds: 10, ...DEFAULTS, ready: 0 },
  ],
  ["the same", "raised", { calls: callsOf(20_000), seconds: 10, ...RAISED, ready: 0 }],
  ["the same", "high", { calls: callsOf(20_000), seconds: 10, ...HIGH, ready: 0 }],
];

/** Returns the table in Markdown. */
export function fleetTable(): string {
  const lines = ROWS.map(([what, settings, options]) => {
    const { coldStarts, concurrency, throttled, full, storeCalls } = simulateFleet(options);
    const numbers = [options.calls, coldStarts, concurrency, throttled, full, storeCalls];
    return `| ${what} | ${settings} | ${numbers.map((number) => number.toLocaleString("en-US")).join(" | ")} |`;
  });
  return [
    "| what happens | settings | calls | cold starts | containers at once | refused by the gateway | without a container | reads a second, at most |",
    "|---|---|---:|---:|---:|---:|---:|---:|",
    ...lines,
  ].join("\n");
}
