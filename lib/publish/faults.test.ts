// The table of faults and moments in docs/publishing.md, a test for each cell: what readers are served after the fault, and that
// asking again ends as if there had been none, under readings that are 0, 300, 1,200 and 2,000 ms behind writes.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { packFast } from "../../test/support/publisher-model.ts";
import { digestOfTree, layout, publisherSetup } from "../../test/support/publisher-setup.ts";
import { OutriggerError } from "../errors.ts";
import type { ParameterStore } from "../parameter-store/parameter-store.ts";

const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });
const LAGS = [0, 300, 1200, 2000];
const REQUEST = { action: "publish", id: "request-1", cause: { by: "ann", why: "" } } as const;

type Operation = keyof ParameterStore;

/** Moment → the call that it is: an operation, and how the first name begins. */
const MOMENTS: Readonly<Record<string, readonly [Operation, string]>> = {
  "the state is read": ["getParameters", layout.head],
  "the tree is read": ["getParametersByPath", layout.source],
  "the release is read": ["getParameters", layout.releases],
  "the release is written": ["putParameter", layout.releases],
  "the change takes its number": ["putParameter", layout.changes],
  "the channel's record is written": ["putParameter", layout.channels],
  "the snapshot is written": ["putParameter", layout.snapshots],
  "the head is written": ["putParameter", layout.head],
  "the mirror is written": ["putParameter", layout.mirrorPart(0)],
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
function faultyStore(store: ParameterStore, [operation, prefix]: readonly [Operation, string], fault: FaultKind) {
  let isMet = false;
  const call =
    <Input extends readonly unknown[], Answer>(name: Operation, perform: (...input: Input) => Promise<Answer>) =>
    async (...input: Input): Promise<Answer> => {
      const isNow = !isMet && name === operation && nameOf(input[0]).startsWith(prefix);
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
  const faulty: ParameterStore = {
    getParameters: call("getParameters", store.getParameters),
    getParametersByPath: call("getParametersByPath", store.getParametersByPath),
    putParameter: call("putParameter", store.putParameter),
    deleteParameters: call("deleteParameters", store.deleteParameters),
  };
  return { faulty, isMet: () => isMet };
}

function nameOf(input: unknown): string {
  if (typeof input === "string") return input;
  return Array.isArray(input) ? String(input[0]) : (input as { readonly name: string }).name;
}

/** A is served; B is edited, and readings lag from now on. */
async function deployed(lag: number) {
  prepared ??= await prepare();
  const setup = publisherSetup({ seed: false, pack: packFast, lag: () => lag, table: prepared.table });
  setup.clock.time = prepared.time;
  return setup;
}

let prepared: Awaited<ReturnType<typeof prepare>> | undefined;

async function prepare() {
  const setup = publisherSetup({ seed: false, pack: packFast });
  await setup.edit("mesh", "a");
  await setup.run({ action: "publish" });
  await setup.edit("mesh", "b");
  return { table: setup.store.table(), time: setup.clock.time + 10_000 };
}

const undisturbed = new Map<number, ReturnType<typeof outcomeOf>>();

/** What the request comes to without a fault. */
function expectedWith(lag: number): ReturnType<typeof outcomeOf> {
  const run = async () => {
    const setup = await deployed(lag);
    return outcomeOf(setup, await setup.run(REQUEST));
  };
  const outcome = undisturbed.get(lag) ?? run();
  undisturbed.set(lag, outcome);
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

/** Rows of the table: moment, fault, and what is served. */
function cells(): readonly (readonly [string, string, string])[] {
  const lines = readFileSync(new URL("../../docs/publishing.md", import.meta.url), "utf8").split("\n");
  const start = lines.findIndex((line) => line.startsWith("| the fault comes when |"));
  const end = lines.indexOf("", start);
  const [head, , ...rows] = lines.slice(start, end).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return rows.flatMap(([moment, ...served]) =>
    served.map((what, index) => [moment as string, head?.[index + 1] as string, what] as const),
  );
}

describe("a publication that meets a fault", () => {
  it("is in a table of all moments and all faults", () => {
    expect([...new Set(cells().map(([moment]) => moment))]).toEqual(Object.keys(MOMENTS));
    expect([...new Set(cells().map(([, fault]) => fault))]).toEqual(Object.keys(FAULTS));
  });

  it.each(cells())(
    "when %s: %s, leaves what readers are served as the one %s, and ends well when asked again",
    async (moment, kind, what) => {
      for (const lag of LAGS) {
        const expected = await expectedWith(lag);
        expect(expected.served).toEqual({ stable: B });
        const setup = await deployed(lag);
        const { faulty, isMet } = faultyStore(
          setup.store,
          MOMENTS[moment] as readonly [Operation, string],
          FAULTS[kind] as FaultKind,
        );
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
