// Each fault at each moment of a publication: what readers are served after the fault, and that asking again ends as if there had been none,
// under readings that are 0, 300, 1,200 and 2,000 ms behind writes.
import type { ObjectStore, ParameterStore } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { packFast, packIntoBucket } from "../../../test/support/pack-quickly.ts";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";

const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });
const LAGS = [0, 300, 1200, 2000];
const REQUEST = { action: "publish", id: "request-1", cause: { by: "ann", why: "" } } as const;

type Operation = keyof Omit<ParameterStore, "objects"> | keyof ObjectStore;

/** An operation, how the first name begins, and how many such calls come before it. */
type Moment = readonly [operation: Operation, prefix: string, before?: number];

/** Moment → the call that it is. */
const MOMENTS: Readonly<Record<string, Moment>> = {
  "the state is read": ["getParameters", layout.head],
  "the tree is read": ["getParametersByPath", layout.source],
  "the bucket's head is read": ["getObject", layout.bucketHead],
  "the snapshot is read": ["getObject", layout.objects, 1],
  "the release before it is read": ["getObject", layout.releases],
  "the release is written": ["putObject", layout.releases],
  "the change takes its number": ["putParameter", layout.changes],
  "the channel's record is written": ["putParameter", layout.channels],
  "the snapshot is written": ["putObject", layout.objects, 1],
  "the head is written": ["putParameter", layout.head],
  "the mirror is written": ["putParameter", layout.mirrorPart(0)],
  "the bucket's head is written": ["putObject", layout.bucketHead],
};

interface FaultKind {
  /** Undefined: the call takes effect, and then the error is thrown. */
  readonly before: (() => Error) | undefined;
  readonly after?: () => Error;
  /** All later calls fail too. */
  readonly lasts?: boolean;
}

const stopped = () => new Error("stopped");
const FAULTS: Readonly<Record<string, FaultKind>> = {
  "stopped before it": { before: stopped },
  "stopped after it": { before: undefined, after: stopped },
  "answer lost": { before: undefined, after: () => new OutriggerError("store-unavailable", "socket hang up") },
  "throttled from then on": { before: () => new OutriggerError("store-unavailable", "Rate exceeded"), lasts: true },
  "denied from then on": { before: () => new OutriggerError("store-denied", "not you"), lasts: true },
  refused: { before: () => new OutriggerError("parameter-refused", "not this") },
};

/** A store that meets the fault at the first call of the moment. */
function faultyStore(store: ParameterStore, [operation, prefix, before = 0]: Moment, fault: FaultKind) {
  let isMet = false;
  let left = before;
  const call =
    <Input extends readonly unknown[], Answer>(name: Operation, perform: (...input: Input) => Promise<Answer>) =>
    async (...input: Input): Promise<Answer> => {
      const isLike = !isMet && name === operation && nameOf(input[0]).startsWith(prefix);
      const isNow = isLike && left-- === 0;
      const error = fault.before?.();
      if (error !== undefined && (isNow || (isMet && fault.lasts === true))) {
        isMet = true;
        throw error;
      }
      const answer = await perform(...input);
      if (!isNow) return answer;
      isMet = true;
      throw fault.after?.();
    };
  const { objects } = store;
  const faulty: ParameterStore = {
    objects: {
      ...objects,
      getObject: call("getObject", objects.getObject),
      putObject: call("putObject", objects.putObject),
    },
    getParameters: call("getParameters", store.getParameters),
    getParametersByPath: call("getParametersByPath", store.getParametersByPath),
    putParameter: call("putParameter", store.putParameter),
    deleteParameters: call("deleteParameters", store.deleteParameters),
  };
  return { faulty, isMet: () => isMet };
}

function nameOf(input: unknown): string {
  if (typeof input === "string") return input;
  if (Array.isArray(input)) return String(input[0]);
  const { name, path, key = "" } = input as { readonly name?: string; readonly path?: string; readonly key?: string };
  return name ?? path ?? key;
}

/** A is served; B is edited, and readings lag from now on. */
async function deployed(lag: number, isLarge: boolean) {
  const pack = isLarge ? packIntoBucket : packFast;
  const { table, objects, time } = await preparedFor(pack);
  const setup = publisherSetup({ seed: false, pack, lag: () => lag, table, inBucket: { objects } });
  setup.clock.time = time;
  return setup;
}

const prepared = new Map<object, ReturnType<typeof prepare>>();

function preparedFor(pack: typeof packIntoBucket): ReturnType<typeof prepare> {
  const made = prepared.get(pack) ?? prepare(pack);
  prepared.set(pack, made);
  return made;
}

async function prepare(pack: typeof packIntoBucket) {
  const setup = publisherSetup({ seed: false, pack });
  await setup.edit("mesh", "a");
  await setup.run({ action: "publish" });
  await setup.edit("mesh", "b");
  return { table: setup.store.table(), objects: setup.bucket.objectTable(), time: setup.clock.time + 10_000 };
}

const undisturbed = new Map<string, ReturnType<typeof outcomeOf>>();

/** Returns the outcome of the request without a fault. */
function expectedWith(lag: number, isLarge: boolean): ReturnType<typeof outcomeOf> {
  const run = async () => {
    const setup = await deployed(lag, isLarge);
    return outcomeOf(setup, await setup.run(REQUEST));
  };
  const name = `${lag} ${isLarge}`;
  const outcome = undisturbed.get(name) ?? run();
  undisturbed.set(name, outcome);
  return outcome;
}

async function outcomeOf(setup: Awaited<ReturnType<typeof deployed>>, answer: object) {
  setup.clock.time += 10_000;
  const values = setup.store.values();
  const { history, ...record } = JSON.parse(values[layout.channel("stable")] as string);
  return {
    answer: { ...answer, seq: 0 },
    served: (await setup.served()).channels,
    record,
    moves: history.map(({ action, release }: { readonly action: string; readonly release: string }) => [
      action,
      release,
    ]),
    changes: Object.keys(values).filter((name) => name.startsWith(`${layout.changes}/`)),
  };
}

/** Moment → the faults after which readers are served the next release, and not the one before. */
const SERVES_NEXT: Readonly<Record<string, readonly string[]>> = {
  "the release before it is read": ["refused"],
  "the channel's record is written": ["refused"],
  "the head is written": ["stopped after it", "answer lost"],
  "the mirror is written": Object.keys(FAULTS),
  "the bucket's head is written": Object.keys(FAULTS),
};

/** Every moment with every fault, and what is served. */
function cells(): readonly (readonly [string, string, string])[] {
  return Object.keys(MOMENTS).flatMap((moment) =>
    Object.keys(FAULTS).map(
      (fault) => [moment, fault, SERVES_NEXT[moment]?.includes(fault) ? "next" : "before"] as const,
    ),
  );
}

describe("a publication that meets a fault", () => {
  it.each(cells())(
    "when %s: %s, leaves what readers are served as the one %s, and ends well when asked again",
    async (moment, kind, what) => {
      const call = MOMENTS[moment] as Moment;
      for (const [index, lag] of LAGS.entries()) {
        // Half of them with what is too large for the mirror.
        const isLarge = index % 2 === 1;
        const expected = await expectedWith(lag, isLarge);
        expect(expected.served).toEqual({ stable: B });
        const setup = await deployed(lag, isLarge);
        const { faulty, isMet } = faultyStore(setup.store, call, FAULTS[kind] as FaultKind);
        await setup.run(REQUEST, { store: faulty }).catch(() => undefined);
        expect(isMet()).toBe(true);
        // Readers that lag are served as they were until readings catch up.
        setup.clock.time += 5000;
        expect({ lag, channels: (await setup.served()).channels }).toEqual({
          lag,
          channels: { stable: what === "next" ? B : A },
        });
        expect({ lag, ...(await outcomeOf(setup, await setup.run(REQUEST))) }).toEqual({ lag, ...expected });
      }
    },
  );
});
