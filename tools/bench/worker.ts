// Runs on the deployed Node, in a process of its own: measures a handler bundle against the JSON floor, in turn, round
// by round, so that both see the same machine. Takes a job file, prints one line of JSON. It is bundled before it runs: no
// loader may be part of what is measured.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Release } from "@outrigger/injector";
import type { logAdmission } from "@outrigger/serving";
import type { GatewayEvent, GatewayResult, Handler } from "../../functions/inject/api-gateway.ts";
import { readRecord } from "../support/read-record.ts";
import { floorPatch, floorRequest } from "./floor.ts";
import { ofNewWorkload } from "./new-workload.ts";
import { profileStages, type Shares } from "./stages.ts";

/** The job that the parent process writes for this one. */
export interface Job {
  readonly bundle: string;
  readonly readableBundle: string;
  readonly release: Release;
  readonly rounds: number;
  readonly iterations: number;
  readonly warmUp: number;
  /** The time that is measured: that of the clock, or how long the thread has worked. */
  readonly time: "clock" | "processor";
  readonly scenarios: readonly JobScenario[];
}

export interface JobScenario {
  readonly name: string;
  readonly fresh: boolean;
  readonly isNewWorkload: boolean;
  /** API Gateway events, as JSON. */
  readonly events: readonly string[];
  readonly patchBytes: readonly number[];
}

/** The results that this process prints. */
export interface Measured {
  readonly node: string;
  readonly results: readonly ScenarioResult[];
  /** The shares of time by stage, for each scenario. */
  readonly stages: Readonly<Record<string, Shares>>;
}

export interface ScenarioResult {
  readonly name: string;
  readonly microseconds: number;
  readonly floor: number;
  readonly ratio: number;
  /** The median of single requests in medians of the floor's; by the clock only. */
  readonly medianRatio?: number;
  /** The additional cost of judging by guardrails, in floors, for pods that are injected again. */
  readonly guardrails?: number;
  /** The bodies that were answered, one for each event. */
  readonly answers: readonly string[];
}

type CreateHandler = (options: {
  readonly release: Release;
  readonly guardrails?: string;
  readonly write: (line: string) => void;
  readonly metrics: NonNullable<Parameters<typeof logAdmission>[1]["metrics"]>;
}) => Handler;

const jobFile = process.argv[2] ?? "";
const job = readRecord<Job>(readFileSync(jobFile, "utf8"), `${jobFile} (npm run bench writes it)`, {
  bundle: "text",
  readableBundle: "text",
  release: "object",
  rounds: "number",
  iterations: "number",
  warmUp: "number",
  time: "text",
  scenarios: "list",
});
const { createHandler } = await load(job.bundle);
const readable = await load(job.readableBundle);
const write = () => undefined;
const metrics = { stage: "bench", now: Date.now };

/** Requests between two changes of sides. Divides the number of events of every scenario, or is divided by it. */
const TURN = 20;

const scenarios = job.scenarios.map((scenario) => ({ ...scenario, floorPatches: scenario.patchBytes.map(floorPatch) }));
type Measurable = (typeof scenarios)[number];

const handler = createHandler({ release: job.release, write, metrics });
const guardedHandler = createHandler({ release: job.release, guardrails: "baseline", write, metrics });
const measured = scenarios.map(
  (scenario): { scenario: Measurable; ours: number[]; floor: number[]; guarded: number[]; medians: number[] } => ({
    scenario,
    ours: [],
    floor: [],
    guarded: [],
    medians: [],
  }),
);

for (const scenario of scenarios) await measure(scenario, job.warmUp);
for (let round = 0; round < job.rounds; round += 1) {
  for (const { scenario, ours, floor, guarded, medians } of measured) {
    const figures = await measure(scenario, job.iterations);
    ours.push(figures.ours);
    floor.push(figures.floor);
    guarded.push(figures.guarded);
    medians.push(figures.medianRatio);
  }
}

const results: ScenarioResult[] = [];
for (const { scenario, ours, floor, guarded, medians } of measured) {
  const { name, events, fresh, isNewWorkload } = scenario;
  const ratio = median(ours.map((one, round) => one / (floor[round] ?? Number.NaN)));
  results.push({
    name,
    microseconds: median(ours),
    floor: median(floor),
    ratio,
    ...(job.time === "clock" && { medianRatio: median(medians) }),
    ...(isNewWorkload &&
      !fresh && {
        guardrails: median(guarded.map((one, round) => (one - (ours[round] ?? 0)) / (floor[round] ?? Number.NaN))),
      }),
    answers: await answersOf(events),
  });
}
const stages: Record<string, Shares> = {};
for (const scenario of scenarios) if (!scenario.fresh) stages[scenario.name] = await stagesOf(scenario);
const report: Measured = { node: process.version, results, stages };
console.log(JSON.stringify(report));

/**
 * Mean microseconds of one request, ours, ours with guardrails and the floor, over about `iterations` requests each, and the median of ours
 * in medians of the floor. They take turns every few requests: what else the machine does then slows both alike.
 */
async function measure({ events, floorPatches, fresh, isNewWorkload }: Measurable, iterations: number) {
  const turns = Math.max(1, Math.round(iterations / TURN));
  let ours = 0;
  let floor = 0;
  let guarded = 0;
  const single = { ours: [] as number[], floor: [] as number[] };
  let position = 0;
  let handle = handler;
  for (let turn = 0; turn < turns; turn += 1) {
    // Loading a release is a cold start's cost, not a request's.
    if (fresh && position % events.length === 0) handle = createHandler({ release: job.release, write, metrics });
    const texts = Array.from({ length: TURN }, (_, index) => events[(position + index) % events.length] ?? "");
    const sent = isNewWorkload ? texts.map(ofNewWorkload) : texts;
    const started = microseconds();
    for (let index = 0; index < TURN; index += 1) {
      const before = performance.now();
      floorRequest(sent[index] ?? "", floorPatches[(position + index) % events.length] ?? []);
      single.floor.push(performance.now() - before);
    }
    const between = microseconds();
    for (const text of sent) {
      const before = performance.now();
      await request(handle, text);
      single.ours.push(performance.now() - before);
    }
    const after = microseconds();
    if (isNewWorkload && !fresh) for (const text of sent) await request(guardedHandler, text);
    guarded += microseconds() - after;
    ours += after - between;
    floor += between - started;
    position += TURN;
  }
  const requests = turns * TURN;
  const medianRatio = median(single.ours) / median(single.floor);
  return { ours: ours / requests, floor: floor / requests, guarded: guarded / requests, medianRatio };
}

/** The thread's time is exact to some milliseconds only, depending on the system: it takes many turns. */
function microseconds(): number {
  if (job.time === "clock") return performance.now() * 1000;
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

async function request(handle: Handler, eventText: string): Promise<string> {
  return stringifyResult(await handle(parseEvent(eventText)));
}

function parseEvent(eventText: string): GatewayEvent {
  return JSON.parse(eventText);
}

function stringifyResult(result: GatewayResult): string {
  return JSON.stringify(result);
}

async function answersOf(events: readonly string[]): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const event of events) {
    const answer = await request(handler, event);
    answers.push(readRecord<{ readonly body: string }>(answer, "the handler's answer", { body: "text" }).body);
  }
  return answers;
}

async function stagesOf({ events, isNewWorkload }: Measurable): Promise<Shares> {
  const handle = readable.createHandler({ release: job.release, write, metrics });
  const turn = async () => {
    for (const event of events) await request(handle, isNewWorkload ? ofNewWorkload(event) : event);
  };
  const turns = Math.max(1, Math.round(job.warmUp / events.length));
  for (let index = 0; index < turns; index += 1) await turn();
  return profileStages(async () => {
    for (let index = 0; index < turns; index += 1) await turn();
  });
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

async function load(file: string): Promise<{ readonly createHandler: CreateHandler }> {
  const module = await import(pathToFileURL(file).href);
  return module.createHandler === undefined ? module.default : module;
}
