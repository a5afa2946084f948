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

const scenarios = job.scenarios.map((scenario) => ({ ...scenario, floorPatches: scenario.patchBytes.map(floorPatch) }));
const handler = createHandler({ release: job.release, write });
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
  const ours = median(rounds[index].ours);
  const floor = median(rounds[index].floor);
  results.push({ name, microseconds: ours, floor, ratio: ours / floor, answers: await answersOf(events), fresh });
}
const stages = {};
for (const { name, events, fresh } of scenarios) if (!fresh) stages[name] = await stagesOf(events);
console.log(JSON.stringify({ node: process.version, results, stages }));

/** Mean microseconds of one request, ours and the floor, over about `iterations` requests each. */
async function measure({ events, floorPatches, fresh }, iterations) {
  const turns = Math.max(1, Math.round(iterations / events.length));
  const floorStarted = process.hrtime.bigint();
  for (let turn = 0; turn < turns; turn += 1) {
    for (let index = 0; index < events.length; index += 1) floorRequest(events[index], floorPatches[index]);
  }
  const floor = elapsed(floorStarted) / (turns * events.length);
  let ours = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    // Loading a release is a cold start's cost, not a request's.
    const handle = fresh ? createHandler({ release: job.release, write }) : handler;
    const started = process.hrtime.bigint();
    for (let index = 0; index < events.length; index += 1) await request(handle, events[index]);
    ours += elapsed(started);
  }
  return { ours: ours / (turns * events.length), floor };
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
  const handle = readable.createHandler({ release: job.release, write });
  const turn = async () => {
    for (const event of events) await request(handle, event);
  };
  const turns = Math.max(1, Math.round(job.warmUp / events.length));
  for (let index = 0; index < turns; index += 1) await turn();
  return profileStages(async () => {
    for (let index = 0; index < turns; index += 1) await turn();
  });
}

function elapsed(started) {
  return Number(process.hrtime.bigint() - started) / 1000;
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

async function load(file) {
  const module = await import(pathToFileURL(file).href);
  return module.createHandler === undefined ? module.default : module;
}
