// Runs on the deployed Node, in a process of its own: measures a handler bundle against the JSON floor, in turn, round
// by round, so that both see the same machine. Takes a job file, prints one line of JSON. Imports nothing to compile.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { floorPatch, floorRequest } from "./floor.mjs";
import { profileStages } from "./stages.mjs";

const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { createHandler } = await load(job.bundle);
const readable = await load(job.readableBundle);
const write = () => undefined;
const metrics = { stage: "bench", now: Date.now };

/** Requests between two changes of sides. Divides the number of events of every scenario, or is divided by it. */
const TURN = 20;

const scenarios = job.scenarios.map((scenario) => ({ ...scenario, floorPatches: scenario.patchBytes.map(floorPatch) }));
const handler = createHandler({ release: job.release, write, metrics });
const rounds = scenarios.map(() => ({ ours: [], floor: [] }));

for (const scenario of scenarios) await measure(scenario, job.warmUp);
for (let round = 0; round < job.rounds; round += 1) {
  for (const [index, scenario] of scenarios.entries()) {
    const { ours, floor } = await measure(scenario, job.iterations);
    rounds[index].ours.push(ours);
    rounds[index].floor.push(floor);
  }
}

const results = [];
for (const [index, { name, events, fresh }] of scenarios.entries()) {
  const { ours, floor } = rounds[index];
  const ratio = median(ours.map((one, round) => one / floor[round]));
  results.push({
    name,
    microseconds: median(ours),
    floor: median(floor),
    ratio,
    answers: await answersOf(events),
    fresh,
  });
}
const stages = {};
for (const { name, events, fresh } of scenarios) if (!fresh) stages[name] = await stagesOf(events);
console.log(JSON.stringify({ node: process.version, results, stages }));

/**
 * Mean microseconds of one request, ours and the floor, over about `iterations` requests each. They take turns every few
 * requests: what else the machine does then slows both alike.
 */
async function measure({ events, floorPatches, fresh }, iterations) {
  const turns = Math.max(1, Math.round(iterations / TURN));
  let ours = 0;
  let floor = 0;
  let position = 0;
  let handle = handler;
  for (let turn = 0; turn < turns; turn += 1) {
    // Loading a release is a cold start's cost, not a request's.
    if (fresh && position % events.length === 0) handle = createHandler({ release: job.release, write, metrics });
    const started = process.hrtime.bigint();
    for (let index = 0; index < TURN; index += 1) {
      const at = (position + index) % events.length;
      floorRequest(events[at], floorPatches[at]);
    }
    const between = process.hrtime.bigint();
    for (let index = 0; index < TURN; index += 1) await request(handle, events[(position + index) % events.length]);
    ours += Number(process.hrtime.bigint() - between);
    floor += Number(between - started);
    position += TURN;
  }
  return { ours: ours / 1000 / (turns * TURN), floor: floor / 1000 / (turns * TURN) };
}

async function request(handle, eventText) {
  return stringifyResult(await handle(parseEvent(eventText)));
}

function parseEvent(eventText) {
  return JSON.parse(eventText);
}

function stringifyResult(result) {
  return JSON.stringify(result);
}

async function answersOf(events) {
  const answers = [];
  for (const event of events) answers.push(JSON.parse(await request(handler, event)).body);
  return answers;
}

async function stagesOf(events) {
  const handle = readable.createHandler({ release: job.release, write, metrics });
  const turn = async () => {
    for (const event of events) await request(handle, event);
  };
  const turns = Math.max(1, Math.round(job.warmUp / events.length));
  for (let index = 0; index < turns; index += 1) await turn();
  return profileStages(async () => {
    for (let index = 0; index < turns; index += 1) await turn();
  });
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

async function load(file) {
  const module = await import(pathToFileURL(file).href);
  return module.createHandler === undefined ? module.default : module;
}
