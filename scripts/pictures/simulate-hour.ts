// An hour of a deployment with three clusters: a rollout to a tenth of one of them, a burst of 500 pods, and five minutes in
// which Parameter Store throttles. Arrivals and containers are simulated; every metric is read from the log lines that the
// functions' own code writes, as CloudWatch reads them.

import { seededRandom } from "@outrigger/fake-aws";
import type { AdmissionRecord } from "@outrigger/serving";
import { admissionMetricsText, metricLine } from "@outrigger/serving";
import { simulateFleet } from "../../test/bench/simulate-fleet.ts";

export interface Datapoint {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly minute: number;
  readonly value: number;
}

export const MINUTES = 60;
const [STAGE, STABLE, CANARY] = ["prod", "b2985d1b52a4", "3c101a9ea4db"];
const CLUSTERS: readonly (readonly [name: string, callsInAMinute: number])[] = [
  ["shop-eu", 40],
  ["shop-us", 24],
  ["batch", 12],
];
const [ROLLOUT, BURST, THROTTLED] = [18, 31, 44];

interface Arrival {
  readonly cluster: string;
  readonly isCold: boolean;
  readonly minute: number;
  readonly random: () => number;
}

export function simulateHour(): readonly Datapoint[] {
  const random = seededRandom(17);
  const points: Datapoint[] = [];
  let ready = 2;
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const calls = CLUSTERS.map(([name, rate]) => {
      const burst = name === "shop-eu" && minute >= BURST && minute < BURST + 2 ? 250 : 0;
      return [name, Math.round(rate * (0.7 + 0.6 * random())) + burst] as const;
    });
    const all = calls.reduce((sum, [, number]) => sum + number, 0);
    const settings = { reserved: 100, rate: 200, burst: 100, warm: 5, cold: 450, ttl: 10_000 };
    const { coldStarts, concurrency } = simulateFleet({ calls: all, seconds: 60, ready, ...settings });
    ready = Math.max(2, Math.min(concurrency, ready + coldStarts));
    let left = coldStarts;
    for (const [cluster, number] of calls) {
      for (let at = 0; at < number; at += 1) {
        points.push(...pointsOfCall({ cluster, isCold: left > 0, minute, random }));
        left -= 1;
      }
    }
    points.push(...pointsOfServices(minute, concurrency, random));
  }
  return points;
}

function pointsOfCall({ cluster, isCold, minute, random }: Arrival): readonly Datapoint[] {
  const chance = random();
  const isSkipped = chance < 0.12;
  const isDenied = !isSkipped && chance < 0.125;
  const isCanary = cluster === "shop-eu" && minute >= ROLLOUT && random() < 0.1;
  const isStale = minute > THROTTLED && minute < THROTTLED + 5;
  const record: AdmissionRecord = {
    uid: "",
    cluster,
    namespace: "",
    name: "",
    status: 200,
    decision: isSkipped ? "skipped" : isDenied ? "denied" : "injected",
    reason: isSkipped ? (chance < 0.09 ? "opted-out" : "host-network") : isDenied ? "annotation-invalid" : "injected",
    release: isCanary ? CANARY : STABLE,
    milliseconds: isCold ? 180 + 160 * random() : 0.9 + 2.5 * random() ** 4,
    tokenSlot: 1,
    served: isStale ? "stale" : "current",
    ...(isCold ? { cold: true } : {}),
    ...(isStale ? { storeError: "store-unavailable" } : {}),
  } as AdmissionRecord;
  const text = admissionMetricsText(record, { stage: STAGE, now: () => minute * 60_000 });
  return pointsOfLine(`{${text}}`, minute);
}

/** The canary's call, the schedule of the publisher, an edit and its rollout, and what Lambda counts itself. */
function pointsOfServices(minute: number, concurrency: number, random: () => number): readonly Datapoint[] {
  const line = (event: string, metrics: Parameters<typeof metricLine>[0]["metrics"] = {}) =>
    pointsOfLine(metricLine({ level: "info", event, stage: STAGE, timestamp: minute * 60_000, metrics }), minute);
  const dimensions = { FunctionName: `outrigger-${STAGE}-inject` };
  return [
    ...line("canary", { CanarySucceeded: 1, CanaryLatency: 18 + 14 * random() }),
    ...(minute === ROLLOUT - 2 || minute === ROLLOUT ? line("publish", { Published: 1, PublishRefused: 0 }) : []),
    ...(minute % 5 === 0 ? line("publish", { OldestUnpublishedEditSeconds: minute === 15 ? 40 : 0 }) : []),
    { namespace: "AWS/Lambda", name: "ConcurrentExecutions", dimensions, minute, value: Math.max(1, concurrency) },
    { namespace: "AWS/Lambda", name: "Throttles", dimensions, minute, value: 0 },
  ];
}

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string }[];
}

/** What CloudWatch makes of a line in its embedded metric format. */
export function pointsOfLine(line: string, minute: number): readonly Datapoint[] {
  const members: Readonly<Record<string, string | number>> & {
    readonly _aws?: { readonly CloudWatchMetrics: readonly Directive[] };
  } = JSON.parse(line);
  const directives = (members._aws as { CloudWatchMetrics: readonly Directive[] } | undefined)?.CloudWatchMetrics ?? [];
  return directives.flatMap(({ Namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((keys) =>
      Metrics.map(({ Name }) => ({
        namespace: Namespace,
        name: Name,
        dimensions: Object.fromEntries(keys.map((key) => [key, String(members[key])])),
        minute,
        value: Number(members[Name]),
      })),
    ),
  );
}
