// Rollbacks while edits pour in: people who edit, events that start the publish function, people who roll back, all before one
// Parameter Store. Compiling takes no time here: it keeps no call of another one waiting.
import type { ParameterStore } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import { fakeParameterStore, seededRandom } from "@outrigger/fake-aws";
import type { PublisherRequest, PublisherResult } from "@outrigger/publisher";
import { runPublisher } from "@outrigger/publisher";
import type { EditEvent } from "../../functions/publish/on-edit.ts";
import { onEdit } from "../../functions/publish/on-edit.ts";
import { pacedStore } from "../../functions/publish/outside-calls.ts";
import { packFast } from "../../test/support/publisher-model.ts";
import { dependenciesOn, layout } from "../../test/support/publisher-setup.ts";
import { sleep } from "../../test/support/sleep.ts";
import type { Clock } from "../../test/support/virtual-clock.ts";
import { virtualClock } from "../../test/support/virtual-clock.ts";

export interface RollbackOptions {
  /** Milliseconds between two edits; undefined for none. */
  readonly editEvery: number | undefined;
  readonly rollbacks: number;
  /** Milliseconds between two rollbacks. */
  readonly pause: number;
}

export interface RollbackReport {
  /** Milliseconds from asking to the answer, the shortest first. */
  readonly waits: readonly number[];
  readonly edits: number;
  readonly publications: number;
  readonly throttled: number;
}

/** Milliseconds of a call, and calls a second that Parameter Store takes, by default. */
const LATENCY = 20;
const RATE = 40;
/** Calls of the function at a time (serverless.yml). */
const CONCURRENCY = 3;
const INTERVAL = 50;
/** Milliseconds until an event arrives, and until an event that found no free call is tried again. */
const EVENT = 500;
const EVENT_AGAIN = 1000;
const CAUSE = { by: "ann", why: "" };

export async function simulateRollbacks({ editEvery, rollbacks, pause }: RollbackOptions): Promise<RollbackReport> {
  const clock = virtualClock();
  const random = seededRandom(7);
  const store = fakeParameterStore({
    now: clock.now,
    rate: RATE,
    // Pages are as full as can be.
    seed: false,
    around: async (_call, perform) => {
      await sleep(LATENCY, clock);
      return perform();
    },
  });
  const retried = retrying(store, clock, random);
  const dependencies = {
    ...dependenciesOn(retried, { time: 0 }),
    pack: packFast,
    now: () => new Date(clock.now()),
    sleep: (milliseconds: number) => sleep(milliseconds, clock),
  };
  /** As functions/publish/index.ts has it. */
  const automatic = () => ({ ...dependencies, store: pacedStore(retried, { ...dependencies, interval: INTERVAL }) });
  const handlers = Array.from({ length: CONCURRENCY }, () => ({ edit: onEdit(automatic()), isBusy: false }));
  /** Undefined where all calls of the function are taken. */
  const invoke = async (
    call: (handler: (typeof handlers)[number]) => Promise<PublisherResult>,
  ): Promise<PublisherResult | undefined> => {
    const free = handlers.find(({ isBusy }) => !isBusy);
    if (free === undefined) return undefined;
    free.isBusy = true;
    const result = await call(free);
    free.isBusy = false;
    return result;
  };
  const ask = async (request: PublisherRequest) => {
    for (let wait = 200; ; wait = Math.min(3000, wait * 2)) {
      const result = await invoke(() => runPublisher(request, dependencies));
      if (result !== undefined) return done(result);
      await sleep(wait * (0.5 + random() / 2), clock);
    }
  };
  const edit = (text: string) =>
    retried.putParameter({ name: layout.sourceParameter("mesh"), value: text, overwrite: true, tier: "Standard" });
  const releases: string[] = [];
  const publish = async (text: string) => {
    await edit(text);
    const { release } = await ask({ action: "publish", cause: CAUSE });
    releases.push(release as string);
  };
  await clock.settle(publish("a"));
  await clock.settle(publish("b"));
  let isOver = false;
  let edits = 0;
  let publications = 0;
  const deliver = async (event: EditEvent) => {
    await sleep(EVENT, clock);
    for (;;) {
      const result = await invoke((handler) => handler.edit(event));
      if (result?.ok === true && result.changed) publications++;
      if (result !== undefined) return;
      await sleep(EVENT_AGAIN, clock);
    }
  };
  const editing = async () => {
    for (; editEvery !== undefined && !isOver; edits++) {
      await sleep(editEvery, clock);
      await edit(`edit ${edits}`);
      const time = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
      void deliver({ source: "aws.ssm", time, detail: { name: layout.sourceParameter("mesh") } });
    }
  };
  const waits: number[] = [];
  const rollingBack = async () => {
    for (let number = 0; number < rollbacks; number++) {
      await sleep(pause * (0.5 + random()), clock);
      const asked = clock.now();
      const id = `rollback-${number}`;
      await ask({ action: "rollback", channel: "stable", release: releases[number % 2] as string, id, cause: CAUSE });
      waits.push(clock.now() - asked);
      await ask({ action: "unpin", channel: "stable", cause: CAUSE });
    }
    isOver = true;
  };
  await clock.settle(Promise.all([editing(), rollingBack()]));
  return { waits: [...waits].sort((a, b) => a - b), edits, publications, throttled: store.throttled() };
}

/** As the SDK repeats calls that are throttled, up to ten times. */
function retrying(store: ParameterStore, clock: Clock, random: () => number): ParameterStore {
  const repeated =
    <Input extends readonly unknown[], Answer>(call: (...input: Input) => Promise<Answer>) =>
    async (...input: Input): Promise<Answer> => {
      for (let tries = 1; ; tries++) {
        try {
          return await call(...input);
        } catch (error) {
          const isBusy = error instanceof OutriggerError && error.code === "store-unavailable";
          if (!isBusy || tries === 10) throw error;
        }
        await sleep(random() * Math.min(20_000, 500 * 2 ** (tries - 1)), clock);
      }
    };
  return {
    getParameters: repeated(store.getParameters),
    getParametersByPath: repeated(store.getParametersByPath),
    putParameter: repeated(store.putParameter),
    deleteParameters: repeated(store.deleteParameters),
  };
}

function done(result: PublisherResult) {
  if (!result.ok) throw new Error(result.error.message);
  return result;
}
