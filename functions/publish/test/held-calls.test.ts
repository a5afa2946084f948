// Every call to the outside, held open forever, one by one: whatever the publish function is called for, it ends in its time.
import { OutriggerError } from "@outrigger/base";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { packIntoBucket } from "../../../test/support/pack-quickly.ts";
import { layout, publisherSetup, type SetupOptions } from "../../../test/support/publisher-setup.ts";
import { countEach, noCounts } from "../../../test/support/simulated-rollout.ts";
import type { PublishFunction } from "../dependencies.ts";
import { DEPLOY_HOOK, publishHandler } from "../handler.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const MINUTE = 60_000;
const cause = { by: "ann", why: "" };
const STACK = "arn:aws:cloudformation:us-east-1:1:stack/outrigger-dev/1";
const edit = { source: "aws.ssm", time: "2026-01-02T03:04:05Z", detail: { name: layout.sourceParameter("mesh") } };
const deploy = {
  RequestType: "Update",
  ResponseURL: "https://example.s3.amazonaws.com/x",
  StackId: STACK,
  RequestId: "1",
  LogicalResourceId: "PublishRelease",
  PhysicalResourceId: "x",
};
const hook = { invokedFunctionArn: `arn:aws:lambda:us-east-1:1:function:outrigger-dev-publish:${DEPLOY_HOOK}` };

interface Asked {
  readonly event: unknown;
  readonly context?: object;
  /** Seconds within which it ends. */
  readonly within: number;
  readonly isReplica?: true;
}

const EVENTS: Readonly<Record<string, Asked>> = {
  "a look at rollouts": { event: { action: "reconcile-rollouts" }, within: 50 },
  "a look for edits": { event: { action: "reconcile" }, within: 110 },
  "a replica's look": { event: { action: "reconcile" }, within: 50, isReplica: true },
  "an edit": { event: edit, within: 59 },
  "a publish": { event: { action: "publish", cause }, within: 120 },
  "a promotion with alarms": {
    event: {
      action: "promote",
      from: "canary",
      to: "stable",
      share: 7,
      replace: true,
      rollout: { next: [100], alarms: ["errors"] },
      cause,
    },
    within: 120,
  },
  "a rollback": { event: { action: "rollback", channel: "stable", cause }, within: 120 },
  "a repair": { event: { action: "repair", cause }, within: 120 },
  "a deploy": { event: deploy, context: hook, within: 120 },
};

/** Everything that is called outside, of which the n-th call never answers. */
function holding(given: PublishFunction, held: number) {
  let calls = 0;
  const wrap = <Port extends object>(port: Port): Port =>
    Object.fromEntries(
      Object.entries(port).map(([name, member]) => {
        if (typeof member === "object") return [name, wrap(member)];
        const call = (...input: unknown[]) => (calls++ === held ? new Promise(() => {}) : member(...input));
        return [name, call];
      }),
    ) as Port;
  const { store, alarmStates, countReleases, editorOf, putSecret } = given;
  const ports = wrap({ store, alarmStates, countReleases, editorOf, putSecret } as object) as Partial<PublishFunction>;
  const primary = given.primary && { ...given.primary, store: wrap(given.primary.store) };
  return { dependencies: { ...given, ...ports, ...(primary && { primary }) }, calls: () => calls };
}

async function functionOf({ isReplica }: Asked) {
  const options = { pack: packIntoBucket, bucket: "releases" };
  const primary = publisherSetup(options as SetupOptions);
  await primary.edit("mesh", "a");
  for (const channel of ["stable", "canary"]) await primary.run({ action: "publish", channel });
  const replica = isReplica && { primary: { store: primary.store, layout, name: "eu-west-1" } };
  const setup = publisherSetup({ ...options, ...replica, alarmStates: async () => ({ errors: "OK" }) } as SetupOptions);
  if (isReplica !== true) {
    for (const text of ["a", "b"]) {
      await setup.edit("mesh", text);
      await setup.run({ action: "publish", channel: text === "a" ? "stable" : "canary" });
    }
    const rollout = { next: [25, 100], bake: 600, alarms: ["errors"] };
    await setup.run({ action: "promote", from: "canary", to: "stable", share: 5, rollout });
    await setup.edit("mesh", "c");
    setup.clock.time += 11 * MINUTE;
  }
  const given: PublishFunction = {
    ...setup.dependencies,
    stage: "dev",
    version: "1.2.3",
    stackId: STACK,
    stackStatus: async () => "UPDATE_IN_PROGRESS",
    write: () => {},
    sleep: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)),
    editorOf: async () => "bob",
    countReleases: countEach(() => ({ ...noCounts, injected: 20 })),
    respond: async () => {},
    canaryToken: `${layout.prefix}/canary/token`,
    makeToken: () => "t".repeat(43),
    putSecret: async () => {},
  };
  return { given, setup };
}

describe.each(Object.entries(EVENTS))("%s", (_name, asked) => {
  it(`ends within ${asked.within} seconds, whichever call never answers`, async () => {
    let held = 0;
    for (; ; held++) {
      const { given } = await functionOf(asked);
      const { dependencies, calls } = holding(given, held);
      const end = performance.now() + asked.within * 1000;
      const context = { ...asked.context, getRemainingTimeInMillis: () => end - performance.now() };
      let isDone = false;
      const run = publishHandler(dependencies)(asked.event, context)
        .catch((error: unknown) => {
          if (!(error instanceof OutriggerError)) throw error;
        })
        .finally(() => {
          isDone = true;
        });
      while (!isDone && performance.now() < end) await vi.advanceTimersByTimeAsync(500);
      expect({ held, isDone }).toEqual({ held, isDone: true });
      await run;
      if (calls() <= held) break;
    }
    expect(held).toBeGreaterThan(3);
  });
});

it("stops a call that nobody waits for, so that it writes nothing later", async () => {
  const { given, setup } = await functionOf({ event: undefined, within: 0 });
  const signals: (AbortSignal | undefined)[] = [];
  const put: typeof given.store.putParameter = (_write, options) => {
    signals.push(options?.signal);
    return new Promise(() => {});
  };
  const handler = publishHandler({ ...given, store: { ...setup.store, putParameter: put } });
  await setup.store.deleteParameters([layout.head]);
  const again = handler({ action: "repair", cause });
  await vi.advanceTimersByTimeAsync(200_000);
  expect(await again).toMatchObject({ ok: false, error: { code: "store-unavailable" } });
  expect(signals.length).toBeGreaterThan(0);
  expect(signals.every((signal) => signal?.aborted)).toBe(true);
});

it("makes no look that has waited for minutes behind others", async () => {
  const { given, setup } = await functionOf({ event: undefined, within: 0 });
  const lines: string[] = [];
  const handler = publishHandler({ ...given, write: (line) => lines.push(line) });
  const at = (minutes: number) => new Date(setup.clock.time - minutes * MINUTE).toISOString();
  setup.store.forgetCalls();
  for (const action of ["reconcile", "reconcile-rollouts"]) await handler({ action, time: at(4) });
  expect([lines, setup.store.calls()]).toEqual([[], {}]);
  await handler({ action: "reconcile-rollouts", time: at(1) });
  expect(lines.length).toBeGreaterThan(0);
  // Of a person's request the time is no key that is known.
  expect(await handler({ action: "repair", cause, time: at(4) })).toMatchObject({ error: { code: "request-unknown" } });
});
