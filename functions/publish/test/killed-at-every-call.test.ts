// Every kind of change, killed at each of its calls: before the call, after its effect, and with its answer lost. Nobody asks
// again. The schedule alone makes what was declared what is served, within two looks, and says so. The same for one that is frozen
// there while two looks are made, and a person moves its channel, and that then continues.
import type { PublisherDependencies, PublisherRequest } from "@outrigger/publisher";
import { readUnsettled, runPublisher } from "@outrigger/publisher";
import { describe, expect, it } from "vitest";
import { turnOf } from "../../../test/support/in-turn.ts";
import { type Interruption, interruptedStore } from "../../../test/support/interrupted-store.ts";
import { packFast, packIntoBucket } from "../../../test/support/pack-quickly.ts";
import { layout, publisherSetup, type SetupOptions } from "../../../test/support/publisher-setup.ts";
import { publishHandler } from "../handler.ts";

type Setup = ReturnType<typeof publisherSetup>;
type Run = (dependencies: PublisherDependencies) => Promise<unknown>;

interface Change {
  /** The steps before, which are not disturbed. */
  readonly prepare?: (setup: Setup) => Promise<unknown>;
  /** The call that is killed. */
  readonly run: Run;
  readonly more?: Partial<PublisherDependencies>;
  /** The look that does it by itself: it must come to the end, whichever call was killed. */
  readonly again?: object;
  /** A deployment with nothing in it. */
  readonly isFirst?: boolean;
  /** No channel and no cluster is another afterwards. */
  readonly isUnmoved?: boolean;
}

const MINUTE = 60_000;
const cause = { by: "ann", why: "" };
const sha256 = "ab".repeat(32);
const cluster = { revisions: { default: "stable" }, arn: "", tokens: [{ sha256, created: "2026-01-01" }] };

const ask =
  (request: Record<string, unknown>): Run =>
  (dependencies) =>
    runPublisher({ cause, ...request } as PublisherRequest, dependencies);
const look =
  (event: unknown): Run =>
  (dependencies) =>
    handlerOf(dependencies)(event);
const ROLLOUTS = { action: "reconcile-rollouts" };
const RECONCILE = { action: "reconcile" };

/** A share of 5 % whose next step is due. */
const rolling = (next: readonly number[]) => async (setup: Setup) => {
  const rollout = { next, bake: 600, alarms: ["errors"] };
  await setup.run({ action: "promote", from: "canary", to: "stable", share: 5, rollout } as never);
  setup.clock.time += 11 * MINUTE;
};
const alarms = (state: "OK" | "ALARM") => ({ alarmStates: async () => ({ errors: state }) });

const CHANGES: Readonly<Record<string, Change>> = {
  publish: { run: ask({ action: "publish" }) },
  "delete of a template": {
    prepare: ({ store }) => store.deleteParameters([layout.sourceParameter("templates/x")]),
    run: ask({ action: "publish" }),
  },
  promote: { run: ask({ action: "promote", from: "canary", to: "stable" }) },
  share: { run: ask({ action: "promote", from: "canary", to: "stable", share: 5 }) },
  "rollout step": { prepare: rolling([25, 100]), run: look(ROLLOUTS), more: alarms("OK"), again: ROLLOUTS },
  "rollout to 100": { prepare: rolling([100]), run: look(ROLLOUTS), more: alarms("OK"), again: ROLLOUTS },
  return: { prepare: rolling([100]), run: look(ROLLOUTS), more: alarms("ALARM"), again: ROLLOUTS },
  rollback: { run: ask({ action: "rollback", channel: "stable" }) },
  "garbage collection": {
    prepare: async ({ clock }) => {
      clock.time += 25 * 60 * MINUTE;
    },
    run: ask({ action: "repair" }),
    isUnmoved: true,
  },
  "first deploy": { run: ask({ action: "publish" }), isFirst: true, again: RECONCILE },
  "tier change": { run: ask({ action: "publish" }), more: { tier: "Advanced" } },
  "more than the mirror holds": { run: ask({ action: "publish" }), more: { pack: packIntoBucket } },
  "loss of the bucket": {
    prepare: ({ bucket }) => bucket.emptyFolder(layout.objects),
    run: ask({ action: "repair" }),
    isUnmoved: true,
  },
  token: {
    prepare: ({ run }) => run({ action: "put-cluster", cluster: "c1", record: cluster }),
    run: ask({ action: "add-token", cluster: "c1", sha256: "cd".repeat(32) }),
  },
  "end of a share": {
    prepare: rolling([100]),
    run: ask({ action: "promote", from: "canary", to: "stable", share: 0 }),
  },
  "step back": { prepare: rolling([100]), run: ask({ action: "step-rollout", channel: "stable", direction: "back" }) },
  repair: {
    prepare: async ({ store, served }) => {
      const { releases } = await served();
      const [digest = ""] = Object.keys(releases);
      await store.deleteParameters([layout.mirrorPart(0)]);
      await store.objects.deleteObject(layout.release(digest));
    },
    run: ask({ action: "repair" }),
    isUnmoved: true,
  },
  "remove of a channel": { run: ask({ action: "remove-channel", channel: "canary" }) },
  reconcile: { run: look(RECONCILE), again: RECONCILE },
  "edit event": {
    run: look({ source: "aws.ssm", time: "2026-01-02T03:04:05Z", detail: { name: layout.sourceParameter("mesh") } }),
    again: RECONCILE,
  },
  replicate: { run: ask({ action: "replicate" }), again: RECONCILE },
};

const HOW: readonly Interruption[] = ["stopped before", "stopped after", "answer lost"];

describe.each(Object.entries(CHANGES))("%s, killed at every call", (name, change) => {
  it("ends as declared, by the schedule alone, within two looks", async () => {
    const made = await prepared(name, change);
    const whole = await from(made, change);
    const untouched = await outcomeOf(whole);
    await change.run(whole.dependencies);
    const after = await outcomeOf(whole);
    if (change.isUnmoved !== true) expect(after).not.toEqual(untouched);
    let runs = 0;
    const isNew = unseen();
    for (const how of HOW) {
      for (let at = 0; ; at++) {
        const setup = await from(made, change);
        const interrupted = interruptedStore(setup.store, at, how);
        await change.run({ ...setup.dependencies, store: interrupted.store }).catch(() => {});
        if (interrupted.calls() <= at) break;
        runs++;
        if (!isNew(setup)) continue;
        await twoLooks(setup);
        const context = { how, at };
        expect({ ...context, ...(await readUnsettled(setup.dependencies)) }).toMatchObject({ ...context, age: 0 });
        const outcome = await outcomeOf(setup);
        // What the records say is what is served, as a reader sees it.
        expect({ ...context, served: outcome.served }).toEqual({ ...context, served: outcome.declared });
        if (change.again !== undefined) {
          await lookAt(change.again, setup);
          expect({ ...context, ...(await outcomeOf(setup)) }).toEqual({ ...context, ...after });
        } else {
          expect([untouched, after].map((each) => ({ ...context, ...each }))).toContainEqual({
            ...context,
            ...outcome,
          });
        }
      }
    }
    expect(runs).toBeGreaterThan(change.isUnmoved === true ? 20 : 30);
  });
});

const FROZEN: readonly Interruption[] = ["frozen before", "frozen after", "late and last"];
const nothing = async () => undefined;
const MEANWHILE: Readonly<Record<string, (setup: Setup) => Promise<unknown>>> = {
  nothing,
  "a rollback": ({ run }) => run({ action: "rollback", channel: "stable" }),
  "a change of the cluster": ({ run }) =>
    run({ action: "put-cluster", cluster: "c1", record: { ...cluster, network: "n1" } } as never),
};

/**
 * Of the three things that happen meanwhile, each call sees each once, in another of the three ways of freezing; with 1, all of them in
 * all ways.
 */
const STRIDE = Number(process.env["OUTRIGGER_KILLED_STRIDE"] ?? Object.keys(MEANWHILE).length);

/** The changes that are frozen at every call. Each step of the changes that are left out is a step of one of these. */
const SLEPT_THROUGH = [
  "publish",
  "return",
  "rollout step",
  "rollback",
  "share",
  "repair",
  "replicate",
  "garbage collection",
  "token",
];

/** Each commit freezes every change while one or two of the three things happen, and a change of tokens while each of them does. */
const share = turnOf("Changes that are frozen at every call", 2);

describe.each(SLEPT_THROUGH.map((name, at) => [name, CHANGES[name] as Change, at] as const))(
  "%s, frozen at every call",
  (name, change, place) => {
    for (const [turn, [what, meanwhile]] of Object.entries(MEANWHILE).entries()) {
      const isRun = name === "token" || share.has((place + turn) % share.shares);
      it.skipIf(!isRun)(`ends as the log says where ${what} happens meanwhile`, async () => {
        const made = await prepared(name, change);
        const isNew = unseen();
        for (const [way, how] of FROZEN.entries()) {
          for (let at = (turn + way) % STRIDE; ; at += STRIDE) {
            const setup = await from(made, change);
            const frozen = async () => {
              await twoLooks(setup);
              await meanwhile(setup);
            };
            const interrupted = interruptedStore(setup.store, at, how, frozen);
            await change.run({ ...setup.dependencies, store: interrupted.store }).catch(() => {});
            if (interrupted.calls() <= at) break;
            if (!isNew(setup)) continue;
            await twoLooks(setup);
            const context = { how, at };
            expect({ ...context, ...(await readUnsettled(setup.dependencies)) }).toMatchObject({ ...context, age: 0 });
            const { served, declared } = await outcomeOf(setup);
            expect({ ...context, served }).toEqual({ ...context, served: declared });
            // A cluster's record that was written late, by the last that its publisher did, is found by the look at the whole.
            setup.clock.time += 24 * 60 * MINUTE;
            await twoLooks(setup);
            expect({ ...context, behind: (await outcomeOf(setup)).behind }).toEqual({ ...context, behind: [] });
          }
        }
      });
    }
  },
);

/** Whether what is stored is new: one that stops after a call leaves what one leaves that stops before the next. */
function unseen(): (setup: Setup) => boolean {
  const seen = new Set<string>();
  return ({ store, bucket, clock }) => {
    const stored = JSON.stringify([...store.table(), ...bucket.objectTable(), Math.floor(clock.time / 1000)]);
    return seen.size < seen.add(stored).size;
  };
}

/** Looks twice, and expects a line about whatever a look has written. */
async function twoLooks(setup: Setup) {
  for (const _ of [1, 2]) {
    setup.clock.time += MINUTE;
    const before = written(setup);
    const lines = await lookAt(ROLLOUTS, setup);
    if (written(setup) !== before) expect(lines).toMatch(/Finished change|derived again|"verdict"/);
  }
}

function written({ store }: Setup): string {
  const { [layout.settled]: _, ...values } = store.values();
  return JSON.stringify(values);
}

async function lookAt(event: unknown, { dependencies }: Setup): Promise<string> {
  const lines: string[] = [];
  await handlerOf(dependencies, (line) => lines.push(line))(event);
  return lines.join("");
}

async function prepared(name: string, { prepare, more, isFirst }: Change) {
  const setup = await setupOf({ seed: false, ...more, ...alarms("OK") }, name);
  if (isFirst !== true) {
    await setup.edit("templates/x", "x");
    for (const text of ["a", "b"]) {
      await setup.edit("mesh", text);
      await release(setup, name, {});
    }
    await setup.edit("mesh", "c");
    await release(setup, name, { channel: "canary" });
  }
  await setup.edit("mesh", "d");
  setup.clock.time += MINUTE;
  await prepare?.(setup);
  return { name, table: setup.store.table(), objects: setup.bucket.objectTable(), time: setup.clock.time + 10_000 };
}

/** A replica has nothing of its own. */
async function release(setup: Setup, name: string, more: object): Promise<void> {
  if (name !== "replicate") await setup.run({ action: "publish", ...more });
}

async function from({ name, table, objects, time }: Awaited<ReturnType<typeof prepared>>, { more }: Change) {
  const setup = await setupOf({ seed: false, table, inBucket: { objects }, ...more }, name);
  setup.clock.time = time;
  return setup;
}

async function setupOf(options: object, name: string): Promise<Setup> {
  return publisherSetup({ pack: packFast, ...options, ...(await primaryOf(name)) } as SetupOptions);
}

/** Returns the primary that a replica follows: two channels and a cluster. */
async function primaryOf(name: string): Promise<Partial<PublisherDependencies>> {
  if (name !== "replicate") return {};
  const setup = publisherSetup({ seed: false, pack: packFast });
  await setup.edit("mesh", "a");
  for (const channel of ["stable", "canary"]) await setup.run({ action: "publish", channel });
  await setup.run({ action: "put-cluster", cluster: "c1", record: cluster });
  return { primary: { store: setup.store, layout, name: "eu-west-1" } };
}

async function outcomeOf(setup: Setup) {
  const values = setup.store.values();
  const named = (folder: string) =>
    Object.entries(values)
      .filter(([name]) => name.startsWith(`${folder}/`))
      .map(([name, value]) => [name.slice(folder.length + 1), JSON.parse(value)] as const);
  const channels = named(layout.channels);
  const clusters = named(layout.clusters).map(([name, { tokens }]) => [name, tokens.length]);
  const snapshot = await setup.served().catch(() => undefined);
  return {
    declared: {
      channels: Object.fromEntries(channels.map(([name, { release: digest }]) => [name, digest])),
      shares: Object.fromEntries(channels.flatMap(([name, { share }]) => (share === undefined ? [] : [[name, share]]))),
      clusters: Object.fromEntries(clusters),
    },
    served: {
      channels: snapshot?.channels ?? {},
      shares: snapshot?.shares ?? {},
      clusters: Object.fromEntries(
        Object.entries(snapshot?.clusters ?? {}).map(([name, { tokens = [] }]) => [name, tokens.length]),
      ),
    },
    // Records that are not as the last change of the log left them.
    behind: named(layout.changes).flatMap(([number, { change }], index, all) => {
      const isLast = !all.slice(index + 1).some(([, later]) => later.change.name === change.name);
      const there = values[`${layout.prefix}/${change.kind}s/${change.name}`];
      const isRemoved = change.record === null;
      const isRight = isRemoved ? there === undefined : JSON.parse(there ?? "{}").change === Number(number);
      return isLast && !isRight ? [Number(number)] : [];
    }),
    // Each change is one line of history, however often it was begun.
    moves: channels.map(([name, { history }]) => [name, history.map(({ action }: { action: string }) => action)]),
  };
}

function handlerOf(dependencies: PublisherDependencies, write: (line: string) => unknown = () => undefined) {
  return publishHandler({
    ...dependencies,
    stage: "dev",
    version: "1.2.3",
    stackId: "",
    stackStatus: async () => "UPDATE_IN_PROGRESS",
    write: (line) => void write(line),
    sleep: async (milliseconds) => dependencies.sleep?.(milliseconds),
    respond: async () => {},
    canaryToken: `${layout.prefix}/canary/token`,
    makeToken: () => "t".repeat(43),
    putSecret: async () => {},
  });
}
