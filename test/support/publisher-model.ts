// Interleavings of everything that happens to one deployment's parameters: people edit and push, two publishers run at
// once although one should, processes stop between any two calls, calls of Parameter Store and of the bucket fail or lose their answers, and
// readers read. After every step it is known which
// trees were complete in the store; what a reader gets must be one of those, compiled.
import type { ParameterStore } from "@outrigger/aws";
import { isOwnError, OutriggerError } from "@outrigger/base";
import { fromStored, type SourceTree } from "@outrigger/injector";
import type { PublisherRequest, PublisherResult } from "@outrigger/publisher";
import {
  type Manifest,
  manifestText,
  parseManifest,
  reconcileRollouts,
  runPublisher,
  treeDigest,
} from "@outrigger/publisher";
import type { Head, Snapshot } from "@outrigger/serving";
import { readSnapshot, releaseDigest } from "@outrigger/serving";
import { packFast } from "./pack-quickly.ts";
import { compileWords, dependenciesOn, layout } from "./publisher-setup.ts";
import { randomOf } from "./random.ts";
import { type Fault, type Process, type Shelf, startProcess } from "./stepped-store.ts";

/** A fault in a process's view of the store, which takes the place of a fault in the product's own code. */
export interface Mutant {
  readonly publisher?: (store: ParameterStore) => ParameterStore;
  readonly reader?: (store: ParameterStore) => ParameterStore;
}

interface Actor {
  readonly process: Process;
  /** Settled when it has nothing more to do. */
  isDone: boolean;
}

const CHANNELS = ["stable", "canary"] as const;
const WORDS = ["one", "two", "bad"] as const;
const PATHS = ["mesh", "values/a", "templates/x"] as const;
const HOUR = 60 * 60 * 1000;
const MINUTE = 60_000;

/** The number of steps of an interleaving, before everything is let come to rest. */
const STEPS = 60;

/**
 * Runs one interleaving.
 *
 * @param seed decides everything
 * @throws Error that says which promise was broken
 */
export async function runInterleaving(seed: number, mutant: Mutant = {}): Promise<void> {
  const random = randomOf(seed);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const shelf: Shelf = { parameters: new Map(), objects: new Map(), time: Date.parse("2026-01-01T00:00:00Z") };
  const whole = new Set<string>();
  let highest = 0;

  /** Notes a tree that is complete: called after every write below source/. */
  const onEdit = () => {
    const digests = digestsOf(treeOn(shelf));
    const manifest = manifestOn(shelf);
    if (manifest?.state !== "pushing" || manifest.digest === digests.tree) whole.add(digests.release);
  };
  onEdit();

  async function edit(store: ParameterStore): Promise<void> {
    if (random() < 0.5) {
      await put(store, layout.sourceParameter(pick(PATHS)), pick(WORDS));
      return;
    }
    const texts = PATHS.flatMap((path) => (random() < 0.8 ? [[path, pick(WORDS)] as const] : []));
    const tree: SourceTree = Object.fromEntries(texts);
    const manifest = { digest: treeDigest(tree), by: "bob", at: "2026-01-01T00:00:00Z" };
    const name = layout.sourceParameter("manifest");
    await put(store, name, manifestText({ state: "pushing", ...manifest }));
    for (const [path, text] of texts) await put(store, layout.sourceParameter(path), text);
    const gone = PATHS.filter((path) => !Object.hasOwn(tree, path));
    await store.deleteParameters(gone.map(layout.sourceParameter));
    await put(store, name, manifestText({ state: "complete", ...manifest }));
  }

  async function publish(process: Process): Promise<void> {
    const result = await ask(requestOf(pick, random), mutant.publisher?.(process.store) ?? process.store, shelf);
    // Who finds others committing all the time has written, and says so.
    if (result.ok || result.error.code === "store-unavailable") return;
    // A release is written before the change that names it takes its number: in the bucket.
    const [strange] = process.writes();
    if (strange !== undefined) throw new Error(`A refusal has written ${strange.name}: ${result.error.message}`);
  }

  async function read(process: Process): Promise<void> {
    let seen: Head | undefined;
    const store = mutant.reader?.(process.store) ?? process.store;
    const throttled: ParameterStore = {
      ...store,
      getParameters: async () => {
        throw new OutriggerError("store-unavailable", "Rate exceeded");
      },
    };
    while (random() < 0.9) {
      const isThrottled = random() < 0.2;
      const faults = process.faults();
      const isServed = isThrottled ? shelf.objects.has(layout.bucketHead) : shelf.parameters.has(layout.head);
      const reading = await readSnapshot(isThrottled ? throttled : store, layout, seen).catch((error: Error) => {
        if (isServed && process.faults() === faults) throw new Error(`A reader found nothing: ${error.message}`);
        return undefined;
      });
      if (reading?.kind !== "snapshot") continue;
      if (seen !== undefined && reading.head.seq < seen.seq) throw new Error("A reader went back");
      assertWhole(reading.snapshot, whole);
      seen = reading.head;
      highest = Math.max(highest, seen.seq);
    }
  }

  const start = (run: (process: Process) => Promise<void>): Actor => {
    const process = startProcess(shelf, ({ name }) => {
      if (name.startsWith(`${layout.source}/`)) onEdit();
    });
    const actor: Actor = { process, isDone: false };
    run(process)
      .catch((error: Error) => {
        failure ??= error;
      })
      .finally(() => {
        actor.isDone = true;
      });
    return actor;
  };
  let failure: Error | undefined;
  const roles = [
    (process: Process) => edit(process.store).catch(unlessUnavailable),
    publish,
    ...(random() < 0.5 ? [publish] : []),
    read,
  ];
  const actors: (Actor | undefined)[] = roles.map(() => undefined);
  const publishers = roles.length === 4 ? [1, 2] : [1];
  // Turns that only publishers get: in some interleavings most is published, in others most is edited and read.
  const share = pick([0, 0.6]);
  const damage = random() < 0.3;
  // Numbers of their own: an interleaving without faults is the same as ever.
  const chance = randomOf(seed ^ 0x5bd1e995);
  const isFaulty = chance() < 0.5;
  const faultOf = (): Fault | undefined =>
    isFaulty && chance() < 0.06 ? (chance() < 0.5 ? "refused" : "lost") : undefined;

  for (let step = 0; step < STEPS; step++) {
    const place = random() < share ? pick(publishers) : Math.floor(random() * roles.length);
    const isReader = place === roles.length - 1;
    actors[place] ??= start(roles[place] as (process: Process) => Promise<void>);
    const actor = actors[place];
    await settled(actor);
    // A reader does not stop: what it holds goes with it.
    if (!actor.isDone && !isReader && random() < 0.02) actors[place] = undefined;
    else await actor.process.step(faultOf());
    await settled(actor);
    if (failure !== undefined) throw failure;
    if (actor.isDone) actors[place] = undefined;
    if (damage && random() < 0.05) damageMirror(shelf, pick);
    // No call takes an hour: nobody is in the middle of one when it passes.
    if (random() < 0.02 && actors.every((other) => other === undefined)) shelf.time += HOUR;
  }

  for (const actor of actors.slice(1)) {
    while (actor !== undefined && !actor.isDone) {
      await actor.process.step();
      await settled(actor);
    }
  }
  if (failure !== undefined) throw failure;
  await assertRest(shelf, whole, highest, mutant);
}

/**
 * Checks the state to which everything has come with no further request. The schedule alone, whose two kinds of look
 * may come at once, serves what the records say. The look after that finds nothing to do, and nothing is lost.
 */
async function assertRest(shelf: Shelf, whole: ReadonlySet<string>, highest: number, mutant: Mutant): Promise<void> {
  const look = (process: Process) => {
    const store = mutant.publisher?.(process.store) ?? process.store;
    return reconcileRollouts({ ...dependenciesOn(store, shelf), pack: packFast });
  };
  shelf.time += MINUTE;
  const first = [startProcess(shelf), startProcess(shelf)];
  await together(
    first,
    first.map((process) => look(process)),
  );
  shelf.time += MINUTE;
  const process = startProcess(shelf);
  const { settled } = await alone(process, look(process));
  if (settled.age > 0 || settled.problems.length > 0) throw new Error(`It is not settled: ${JSON.stringify(settled)}`);
  const writes = process.writes().filter(({ name }) => name !== layout.settled);
  if (writes.length > 0) throw new Error("A second look has found something to do");
  const records = Object.fromEntries(
    [...shelf.parameters.values()]
      .filter(({ name }) => name.startsWith(`${layout.channels}/`))
      .map(({ name, value }) => [name.slice(layout.channels.length + 1), JSON.parse(value).release as string]),
  );
  if (Object.keys(records).length === 0) return;
  const before = shelf.time;
  const reading = await alone(process, readSnapshot(process.store, layout, undefined));
  if (reading.kind !== "snapshot") throw new Error("Nothing is served");
  assertWhole(reading.snapshot, whole);
  if (JSON.stringify(sorted(reading.snapshot.channels)) !== JSON.stringify(sorted(records))) {
    throw new Error("What is served is not what the records say");
  }
  if (reading.head.seq < highest || before !== shelf.time) throw new Error("What is served is older than what was");
}

function assertWhole({ channels, releases }: Snapshot, whole: ReadonlySet<string>): void {
  for (const [channel, digest] of Object.entries(channels)) {
    const release = releases[digest];
    if (release === undefined || releaseDigest(release) !== digest) throw new Error(`${channel} serves no release`);
    if (!whole.has(digest)) throw new Error(`${channel} serves a tree that was never complete in the store`);
  }
}

const CAUSE = { by: "ann", why: "" };

/** Whose call has failed stops there, as if the process had been stopped. */
function unlessUnavailable(error: unknown): void {
  if (!isOwnError(error, "store-unavailable")) throw error;
}

type Pick = <Item>(items: readonly Item[]) => Item;

function requestOf(pick: Pick, random: () => number): PublisherRequest {
  const channel = pick(CHANNELS);
  const request = pick([
    { action: "publish", automatic: true },
    { action: "publish", automatic: true },
    { action: "publish", ...(random() < 0.5 ? { channel } : {}) },
    { action: "promote", from: "canary", to: "stable" },
    { action: "rollback", channel },
    { action: "unpin", channel },
    { action: "repair" },
  ] as const);
  return { ...request, cause: CAUSE } as PublisherRequest;
}

function ask(request: PublisherRequest, store: ParameterStore, shelf: Shelf): Promise<PublisherResult> {
  return runPublisher(request, { ...dependenciesOn(store, shelf), pack: packFast });
}

/** A person who edits what is derived: a part of the mirror holds another text under the same tag. */
function damageMirror(shelf: Shelf, pick: Pick): void {
  const name = layout.mirrorPart(pick([0, 1]));
  const part = shelf.parameters.get(name);
  if (part === undefined) return;
  const value = part.value.replace(/^(\S+ \S+ .{8})./, "$1A");
  shelf.parameters.set(name, { ...part, value, version: part.version + 1 });
}

function treeOn(shelf: Shelf): SourceTree {
  const prefix = `${layout.source}/`;
  const texts = [...shelf.parameters.values()].filter(({ name }) => name.startsWith(prefix));
  const entries = texts.map(({ name, value }) => [name.slice(prefix.length), value] as const).sort();
  return Object.fromEntries(
    entries.filter(([path]) => path !== "manifest").map(([path, value]) => [path, fromStored(value, path)]),
  );
}

function manifestOn(shelf: Shelf): Manifest | undefined {
  const parameter = shelf.parameters.get(layout.sourceParameter("manifest"));
  return parameter && parseManifest(parameter);
}

interface Digests {
  readonly tree: string;
  /** The release's digest. It is empty for a tree that does not compile, which is never served. */
  readonly release: string;
}

/**
 * The digests of the trees that were seen. A few words in a few places make less than a hundred trees, and each is looked at ten thousand
 * times.
 */
const known = new Map<string, Digests>();

function digestsOf(tree: SourceTree): Digests {
  const text = JSON.stringify(tree);
  const digests = known.get(text) ?? { tree: treeDigest(tree), release: compiledDigest(tree) };
  known.set(text, digests);
  return digests;
}

function compiledDigest(tree: SourceTree): string {
  try {
    return releaseDigest(compileWords([tree]));
  } catch {
    return "";
  }
}

function put(store: ParameterStore, name: string, value: string): Promise<number> {
  return store.putParameter({ name, value, overwrite: true, tier: "Standard" });
}

function sorted(record: Readonly<Record<string, string>>) {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Resolves once a process waits for its next call, or has none: nothing but promises lies between. */
async function settled(actor: Actor): Promise<void> {
  while (!actor.isDone && !actor.process.waits()) await null;
}

/** Several processes, a call of each in turn. */
async function together(processes: readonly Process[], answers: readonly Promise<unknown>[]): Promise<void> {
  const state = { left: answers.length };
  const done = () => void state.left--;
  for (const answer of answers) answer.then(done, done);
  while (state.left > 0) {
    for (const process of processes) if (process.waits()) await process.step();
    await null;
  }
  await Promise.all(answers);
}

async function alone<Answer>(process: Process, answer: Promise<Answer>): Promise<Answer> {
  let isDone = false;
  answer.then(
    () => {
      isDone = true;
    },
    () => {
      isDone = true;
    },
  );
  while (!isDone) {
    if (process.waits()) await process.step();
    else await null;
  }
  return answer;
}
