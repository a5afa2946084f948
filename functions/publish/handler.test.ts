import { createHash } from "node:crypto";
import type { ParameterStore } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import { manifestText, treeDigest } from "@outrigger/publisher";
import { beforeEach, describe, expect, it } from "vitest";
import { compileWords, digestOfTree, layout, publisherSetup } from "../../test/support/publisher-setup.ts";
import type { CloudFormationResponse } from "../cloudformation-response.ts";
import type { PublishFunction } from "./dependencies.ts";
import { DEPLOY_HOOK, publishHandler } from "./handler.ts";

const STACK = "arn:aws:cloudformation:us-east-1:1:stack/outrigger-dev/1";
const FUNCTION = "arn:aws:lambda:us-east-1:1:function:outrigger-dev-publish";
const hook = { invokedFunctionArn: `${FUNCTION}:${DEPLOY_HOOK}` };
const TOKEN = "t".repeat(43);
const TOKEN_NAME = `${layout.prefix}/canary/token`;
const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });

let setup: ReturnType<typeof functionSetup>;
beforeEach(() => {
  setup = functionSetup();
});

/** A publish function before a fake store, with a clock that only moves when something waits. */
function functionSetup() {
  const publisher = publisherSetup();
  const { clock, store } = publisher;
  const lines: string[] = [];
  const responses: CloudFormationResponse[] = [];
  const during: (() => Promise<unknown>)[] = [];
  const stack = { status: "UPDATE_IN_PROGRESS" };
  const dependencies: PublishFunction = {
    ...publisher.dependencies,
    stage: "dev",
    version: "1.2.3",
    stackId: STACK,
    stackStatus: async () => stack.status,
    write: (line) => lines.push(line),
    sleep: async (milliseconds) => {
      // The watch over a deploy's time never ends in these tests.
      if (milliseconds > 30_000) return new Promise(() => {});
      clock.time += milliseconds;
      await during.shift()?.();
    },
    respond: async ({ response }) => void responses.push(response),
    canaryToken: TOKEN_NAME,
    makeToken: () => TOKEN,
    putSecret: async ({ name, value, overwrite }) => {
      const input = { Name: name, Value: value, Type: "SecureString", Overwrite: overwrite };
      const reply = await store.service.call("PutParameter", input);
      if (reply.kind === "refused") throw new OutriggerError("parameter-exists", "There is one");
    },
  };
  return {
    ...publisher,
    dependencies,
    stack,
    responses,
    /** Deletes a record, and what the log says of it. */
    lose: async (name: string) => {
      const changes = Object.keys(store.values()).filter((other) => other.startsWith(layout.changes));
      await store.deleteParameters([name]);
      for (const change of changes) await store.deleteParameters([change]);
    },
    /** Events that happen while the function sleeps, one after the other. */
    during,
    handler: publishHandler(dependencies),
    log: () => lines.map((line) => JSON.parse(line)),
    event: (path: string) => ({
      source: "aws.ssm",
      "detail-type": "Parameter Store Change",
      time: `${new Date(clock.time).toISOString().slice(0, 19)}Z`,
      detail: { name: layout.sourceParameter(path), operation: "Update", type: "String" },
    }),
  };
}

const cloudFormation = (RequestType: "Create" | "Update" | "Delete", LogicalResourceId = "PublishRelease") => ({
  RequestType,
  ResponseURL: "https://example.s3.amazonaws.com/x",
  StackId: STACK,
  RequestId: "1",
  LogicalResourceId,
});

describe("publishHandler() for a request", () => {
  it("answers, and writes one line with a metric", async () => {
    await setup.edit("mesh", "a");
    const result = await setup.handler({ action: "publish", cause: { by: "ann", why: "" } });
    expect(result).toMatchObject({ ok: true, release: A, version: "1.2.3" });
    expect(setup.log()).toMatchObject([
      { level: "info", event: "publish", trigger: "request", action: "publish", release: A, changed: true },
    ]);
    expect(setup.log()[0]).toMatchObject({ Stage: "dev", Published: 1, _aws: { CloudWatchMetrics: [{}] } });
  });

  it.each([
    [{ action: "publish", cause: { by: "ann", why: "" } }, "template-invalid", { PublishRefused: 1 }],
    [{ action: "publish", dryRun: true, cause: { by: "ann", why: "" } }, "template-invalid", {}],
    [{ action: "pin", channel: "beta", cause: { by: "ann", why: "" } }, "channel-unknown", {}],
    [{ action: "burn" }, "request-unknown", {}],
    [{ action: "publish", force: true, cause: { by: "ann", why: "" } }, "request-unknown", {}],
    ["publish", "request-unknown", {}],
  ])("refuses %j with %s and the metrics %j", async (request, code, metrics) => {
    await setup.edit("mesh", "bad");
    expect(await setup.handler(request)).toMatchObject({ ok: false, error: { code }, version: "1.2.3" });
    const [{ Published, PublishRefused, PublishFailed, error }] = setup.log();
    expect(JSON.parse(JSON.stringify({ Published, PublishRefused, PublishFailed }))).toEqual(metrics);
    expect(error.code).toBe(code);
  });

  it("gives the canary a new token when it repairs and one half of it is gone", async () => {
    const repair = (more: object = {}) =>
      setup.handler({ action: "repair", cause: { by: "ann", why: "" }, ...more }) as Promise<{ changed: boolean }>;
    const tokens = () => setup.store.table().get(TOKEN_NAME)?.length ?? 0;
    expect(await repair()).toMatchObject({ ok: true, warnings: ["The canary has no channel to be served from yet"] });
    await setup.handler(cloudFormation("Create"), hook);
    expect(await repair()).toMatchObject({
      ok: true,
      changed: false,
      message: "What is served is what the records say",
    });
    await setup.store.deleteParameters([TOKEN_NAME]);
    expect(await repair({ dryRun: true })).toMatchObject({ ok: true, changed: false });
    expect(tokens()).toBe(0);
    expect(await repair()).toMatchObject({
      ok: true,
      changed: true,
      message: "What is served is what the records say; the canary has a new token",
    });
    expect(tokens()).toBe(1);
    await setup.lose(layout.cluster("canary"));
    expect(await repair()).toMatchObject({ changed: true });
    expect(tokens()).toBe(2);
    expect((await setup.served()).clusters).toHaveProperty("canary");
    expect(JSON.stringify(setup.log())).not.toContain(TOKEN);
  });

  it("counts what cannot be read as refused when the rest was published", async () => {
    await setup.edit("mesh", "a");
    await setup.put(layout.cluster("c1"), "nonsense");
    await setup.handler({ action: "publish", cause: { by: "ann", why: "" } });
    expect(setup.log()).toMatchObject([{ level: "error", Published: 1, PublishRefused: 1, problems: [{}] }]);
  });
});

describe("publishHandler() for rollouts", () => {
  const promote = { action: "promote", from: "canary", to: "stable", cause: { by: "ann", why: "" } };
  const rollout = { next: [100], bake: 600, alarms: ["errors"] };
  const look = () => setup.handler({ action: "reconcile-rollouts" });
  const shared = async () => (await setup.served()).shares?.["stable"]?.percent;

  async function begun(state: "OK" | "ALARM" | undefined) {
    const alarm = { state: "OK" as typeof state };
    const alarmStates = async () => ({ errors: alarm.state });
    const handler = publishHandler({ ...setup.dependencies, alarmStates });
    await setup.edit("mesh", "a");
    await handler({ action: "publish", cause: promote.cause });
    await setup.edit("mesh", "b");
    await handler({ action: "publish", channel: "canary", cause: promote.cause });
    await handler({ ...promote, share: 5, rollout });
    alarm.state = state;
    const before = setup.log().length;
    const lines = () => setup.log().slice(before);
    const isOfRollout = ({ action }: Record<string, unknown>) => action === "rollout";
    return {
      look: () => handler({ action: "reconcile-rollouts" }),
      lines: () => lines().filter(isOfRollout),
      settled: () => lines().filter((line) => !isOfRollout(line)),
    };
  }

  it("writes its metric, and makes three calls of Parameter Store, where nothing is to be done", async () => {
    await setup.edit("mesh", "a");
    await setup.handler({ action: "publish", cause: promote.cause });
    setup.clock.time += 60_000;
    setup.store.forgetCalls();
    expect(await look()).toBeUndefined();
    expect(setup.store.calls()).toEqual({ GetParameters: 3, GetParametersByPath: 2, PutParameter: 1 });
    const before = setup.log().length;
    setup.store.forgetCalls();
    expect(await look()).toBeUndefined();
    expect(setup.store.calls()).toEqual({ GetParameters: 2, GetParametersByPath: 1 });
    expect(setup.log().slice(before)).toMatchObject([{ level: "info", action: "settle", Unsettled: 0 }]);
  });

  it.each([
    ["deleted", (name: string) => setup.store.deleteParameters([name])],
    ["damaged", (name: string) => setup.put(name, "nonsense")],
  ])("derives again what is served when serve/head was %s by hand, and says so", async (_what, harm) => {
    await setup.edit("mesh", "a");
    await setup.handler({ action: "publish", cause: promote.cause });
    setup.clock.time += 60_000;
    await harm(layout.head);
    const before = setup.log().length;
    await setup.handler({ action: "reconcile" });
    expect((await setup.served()).channels).toEqual({ stable: A });
    const message = expect.stringContaining("derived again");
    const said = { level: "warn", action: "settle", message, Unsettled: 0, Published: 1 };
    expect(setup.log().slice(before)).toMatchObject([said, { message: expect.stringContaining("as it is") }]);
  });

  it("puts an older head that was written by hand right", async () => {
    await setup.edit("mesh", "a");
    await setup.handler({ action: "publish", cause: promote.cause });
    const old = setup.store.values()[layout.head] as string;
    await setup.edit("mesh", "b");
    await setup.handler({ action: "publish", cause: promote.cause });
    setup.clock.time += 60_000;
    await setup.put(layout.head, old);
    await look();
    expect((await setup.served()).channels).toEqual({ stable: B });
  });

  it("says what cannot be settled, since when, and continues with rollouts", async () => {
    const { look: again, settled } = await begun("ALARM");
    await setup.put(layout.cluster("c1"), "nonsense");
    setup.clock.time += 300_000;
    await again();
    expect(await shared()).toBeUndefined();
    expect(settled()).toMatchObject([{ level: "error", action: "settle", problems: [{ path: layout.cluster("c1") }] }]);
    expect(Number(settled()[0]?.["Unsettled"])).toBeGreaterThanOrEqual(300);
  });

  it("says that a rollout is stuck, and for how long", async () => {
    const { look: again, lines } = await begun(undefined);
    setup.clock.time += 120_000;
    await again();
    expect(lines()).toMatchObject([
      { level: "warn", action: "rollout", message: expect.stringContaining("there is no alarm errors") },
    ]);
    expect(Number(lines()[0]?.["RolloutStuck"])).toBeGreaterThanOrEqual(120);
  });

  it("logs the step that is made, and none while it waits", async () => {
    const { look: again, lines } = await begun("OK");
    await again();
    expect([await shared(), lines()]).toEqual([5, []]);
    setup.clock.time += 601_000;
    await again();
    await again();
    expect(await shared()).toBe(100);
    setup.clock.time += 601_000;
    await again();
    await again();
    expect((await setup.served()).channels["stable"]).toBe(B);
    const step = { level: "info", action: "rollout", verdict: "advance", Published: 1 };
    expect(lines()).toMatchObject([step, step]);
  });

  it("takes the share back when an alarm is up, with an error and its metric", async () => {
    const { look: again, lines } = await begun("ALARM");
    await again();
    await again();
    expect(await shared()).toBeUndefined();
    const message = expect.stringContaining("alarm errors is up");
    expect(lines()).toMatchObject([{ level: "error", verdict: "abort", message, Published: 1, RolloutReturned: 1 }]);
  });
});

describe("publishHandler() for an edit", () => {
  it("publishes it once it has been quiet, with all that was edited meanwhile", async () => {
    await setup.edit("mesh", "a");
    setup.during.push(() => setup.edit("values/a", "more"));
    await setup.handler(setup.event("mesh"));
    expect((await setup.served()).channels).toEqual({ stable: digestOfTree({ mesh: "a", "values/a": "more" }) });
  });

  it("ends without a call when the edit was published with one before it", async () => {
    await setup.edit("mesh", "a");
    const event = setup.event("mesh");
    await setup.handler(event);
    setup.store.forgetCalls();
    expect(await setup.handler(event)).toMatchObject({ ok: true, changed: false });
    expect(setup.store.calls()).toEqual({});
    setup.clock.time += 60_000;
    await setup.edit("mesh", "b");
    await setup.handler(setup.event("mesh"));
    expect((await setup.served()).channels).toEqual({ stable: B });
  });

  it("reports a bad edit once, and continues serving", async () => {
    await setup.edit("mesh", "a");
    await setup.handler(setup.event("mesh"));
    setup.clock.time += 60_000;
    await setup.edit("mesh", "bad");
    const event = setup.event("mesh");
    await setup.handler(event);
    await setup.handler(event);
    setup.clock.time += 60_000;
    await setup.edit("mesh", "b");
    await setup.handler(setup.event("mesh"));
    // The alarm holds its state while there is no value: up at 1, down at 0.
    expect(setup.log().map(({ PublishRefused }) => PublishRefused)).toEqual([0, 1, undefined, 0]);
    expect((await setup.served()).channels).toEqual({ stable: B });
  });

  it("publishes in the end when edits never stop", async () => {
    await setup.edit("mesh", "a");
    for (let count = 0; count < 30; count++) setup.during.push(() => setup.edit("mesh", `a${count}`));
    await setup.handler(setup.event("mesh"));
    expect(Object.keys((await setup.served()).channels)).toEqual(["stable"]);
    expect(setup.during.length).toBeGreaterThan(10);
  });

  const manifest = (state: "pushing" | "complete", minutesAgo: number) =>
    setup.put(
      layout.sourceParameter("manifest"),
      manifestText({
        state,
        digest: treeDigest({ mesh: "b" }),
        by: "bob",
        at: new Date(setup.clock.time - minutesAgo * 60_000).toISOString(),
      }),
    );

  it("waits for a push to be complete, and publishes it as a whole", async () => {
    await manifest("pushing", 0);
    await setup.edit("mesh", "half");
    setup.during.push(
      async () => undefined,
      () => setup.edit("mesh", "b"),
      () => manifest("complete", 0),
    );
    await setup.handler(setup.event("mesh"));
    expect((await setup.served()).channels).toEqual({ stable: B });
  });

  it("leaves a long push to the event of its end, and reports when it was given up", async () => {
    await manifest("pushing", 0);
    await setup.edit("mesh", "half");
    expect(await setup.handler(setup.event("mesh"))).toMatchObject({ ok: true, changed: false });
    expect(setup.log()[0]).not.toHaveProperty("PublishRefused");
    await manifest("pushing", 20);
    expect(await setup.handler(setup.event("mesh"))).toMatchObject({ error: { code: "tree-half-pushed" } });
    expect(setup.log()[1]).toMatchObject({ PublishRefused: 1 });
  });

  it("throws, so that Lambda tries again, when Parameter Store does not let it through", async () => {
    await setup.edit("mesh", "a");
    const store: ParameterStore = {
      ...setup.store,
      putParameter: async () => {
        throw new OutriggerError("store-unavailable", "Cannot write: ThrottlingException");
      },
    };
    const handler = publishHandler({ ...setup.dependencies, store });
    await expect(handler(setup.event("mesh"))).rejects.toThrow("Cannot write: ThrottlingException");
    expect(setup.log()).toMatchObject([{ level: "error", PublishFailed: 1 }]);
    await setup.handler(setup.event("mesh"));
    expect((await setup.served()).channels).toEqual({ stable: A });
  });
});

describe("publishHandler() for the schedule", () => {
  const reconcile = () => setup.handler({ action: "reconcile" });
  const age = () => setup.log().at(-1).OldestUnpublishedEditSeconds;

  it("publishes an edit whose event was lost, and says how old it was when it cannot", async () => {
    await setup.edit("mesh", "a");
    await setup.handler(setup.event("mesh"));
    await setup.edit("mesh", "b");
    setup.clock.time += 300_000;
    expect(await reconcile()).toMatchObject({ ok: true, changed: true, release: B });
    expect(age()).toBe(0);
    await setup.edit("mesh", "bad");
    setup.clock.time += 300_000;
    expect(await reconcile()).toMatchObject({ ok: false, error: { code: "template-invalid" } });
    expect(setup.log().at(-1)).toMatchObject({
      trigger: "schedule",
      PublishRefused: 1,
      OldestUnpublishedEditSeconds: 300,
    });
  });

  it("counts an edit that waits for a person, at every look, and not as published or refused", async () => {
    await setup.edit("mesh", "a");
    await setup.handler(setup.event("mesh"));
    const hold = { action: "set-channel", channel: "stable", holds: ["entries-gone"] };
    await setup.handler({ ...hold, cause: { by: "ann", why: "" } });
    await setup.store.deleteParameters([layout.sourceParameter("mesh")]);
    for (const look of [1, 2]) {
      setup.clock.time += 300_000;
      expect(await reconcile()).toMatchObject({ held: [{ name: "entries-gone" }] });
      expect(setup.log().at(-1), `look ${look}`).toMatchObject({ EditHeld: 1, PublishRefused: 0 });
      expect(setup.log().at(-1)).not.toHaveProperty("Published");
    }
    const result = await setup.handler({ action: "publish", cause: { by: "ann", why: "" } });
    expect(result).toMatchObject({ ok: false, error: { code: "edit-held" } });
    expect(setup.log().at(-1)).not.toHaveProperty("PublishRefused");
  });

  it("has nothing to do when everything is published, or the channel is pinned", async () => {
    await setup.edit("mesh", "a");
    await setup.handler(setup.event("mesh"));
    setup.store.forgetCalls();
    expect(await reconcile()).toMatchObject({ ok: true, changed: false });
    // That all is settled.
    expect(setup.store.calls().PutParameter).toBe(1);
    setup.store.forgetCalls();
    expect(await reconcile()).toMatchObject({ ok: true, changed: false });
    expect(setup.store.calls().PutParameter).toBeUndefined();
    await setup.handler({ action: "pin", channel: "stable", cause: { by: "ann", why: "" } });
    await setup.edit("mesh", "b");
    setup.clock.time += 300_000;
    expect(await reconcile()).toMatchObject({ ok: true, changed: false });
    expect(age()).toBe(0);
    expect((await setup.served()).channels).toEqual({ stable: A });
  });

  it("reports a push that was broken off, which keeps back other people's edits, after ten minutes", async () => {
    const at = new Date(setup.clock.time).toISOString();
    const digest = treeDigest({ mesh: "b", config: "x" });
    await setup.put(layout.sourceParameter("manifest"), manifestText({ state: "pushing", digest, by: "bob", at }));
    await setup.edit("mesh", "b");
    setup.clock.time += 300_000;
    expect(await reconcile()).toMatchObject({ ok: true, changed: false });
    expect(age()).toBe(300);
    setup.clock.time += 600_000;
    const message = expect.stringContaining("a push by bob");
    expect(await reconcile()).toMatchObject({ ok: false, error: { code: "tree-half-pushed", message } });
    expect(setup.log().at(-1)).toMatchObject({ PublishRefused: 1, OldestUnpublishedEditSeconds: 900 });
  });

  it("publishes a push that is complete but for its last mark, by an edit and by the schedule", async () => {
    const push = async (text: string) => {
      const at = new Date(setup.clock.time).toISOString();
      const digest = treeDigest({ mesh: text });
      await setup.put(layout.sourceParameter("manifest"), manifestText({ state: "pushing", digest, by: "bob", at }));
      await setup.edit("mesh", text);
    };
    await push("a");
    await setup.handler(setup.event("mesh"));
    expect((await setup.served()).channels).toEqual({ stable: A });
    await push("b");
    expect(await reconcile()).toMatchObject({ ok: true, changed: true, release: B });
  });
});

describe("publishHandler() of a replica", () => {
  const asReplica = async (isDown = false) => {
    const primary = publisherSetup();
    await primary.edit("mesh", "a");
    await primary.run({ action: "publish" });
    const down: ParameterStore = {
      ...primary.store,
      getParametersByPath: async () => {
        throw new OutriggerError("store-unavailable", "Cannot read: it does not answer");
      },
    };
    const of = (reader: ParameterStore) => ({ store: reader, layout, name: "eu-west-1" });
    const handler = publishHandler({ ...setup.dependencies, primary: of(isDown ? down : primary.store) });
    return { primary, handler };
  };

  it("follows its primary by the schedule and when it is deployed, and publishes no edit", async () => {
    const { primary, handler } = await asReplica();
    await handler(cloudFormation("Create"), hook);
    expect(setup.responses).toMatchObject([{ status: "SUCCESS", reason: expect.stringContaining("Taken over") }]);
    expect((await setup.served()).channels).toEqual({ stable: A });
    expect((await setup.served()).clusters).toHaveProperty("canary");
    await primary.edit("mesh", "b");
    await primary.run({ action: "publish" });
    expect(await handler({ action: "reconcile" })).toMatchObject({ ok: true, changed: true });
    expect(setup.log().at(-1)).toMatchObject({ trigger: "schedule", Published: 1, OldestUnpublishedEditSeconds: 0 });
    await setup.edit("mesh", "c");
    expect(await handler(setup.event("mesh"))).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("replica of eu-west-1") },
    });
    expect((await setup.served()).channels).toEqual({ stable: B });
  });

  it("deploys a replica while its primary is down", async () => {
    const down = await asReplica(true);
    await down.handler(cloudFormation("Create"), hook);
    expect(setup.responses).toMatchObject([{ status: "FAILED" }]);
    await (await asReplica()).handler(cloudFormation("Create"), hook);
    await down.handler(cloudFormation("Update"), hook);
    expect(setup.responses.at(-1)).toMatchObject({ status: "SUCCESS", reason: expect.stringContaining("continues") });
    expect(await down.handler({ action: "reconcile" })).toMatchObject({ ok: false });
    expect(setup.log().at(-1)).toMatchObject({ PublishFailed: 1 });
    expect((await setup.served()).channels).toEqual({ stable: A });
  });
});

describe("publishHandler() while edits pour in", () => {
  it("lets one call wait for them, and ends the others at once, so that a rollback waits for nothing", async () => {
    for (const text of ["a", "b"]) {
      await setup.edit("mesh", text);
      await setup.handler({ action: "publish", cause: { by: "ann", why: "" } });
    }
    setup.clock.time += 60_000;
    await setup.edit("mesh", "c");
    let slept = 0;
    const others: unknown[] = [];
    setup.during.push(async () => {
      const before = setup.clock.time;
      for (let count = 0; count < 40; count++) others.push(await setup.handler(setup.event("mesh")));
      const asked = { action: "rollback", channel: "stable", cause: { by: "ann", why: "" } };
      expect(await setup.handler(asked)).toMatchObject({ ok: true, release: A });
      slept = setup.clock.time - before;
    });
    await setup.handler(setup.event("mesh"));
    expect(others).toHaveLength(40);
    for (const other of others) expect(other).toMatchObject({ message: expect.stringContaining("Another call waits") });
    // Each look at the clock takes a millisecond here; nothing sleeps.
    expect(slept).toBeLessThan(2000);
    expect((await setup.served()).channels).toEqual({ stable: A });
  });

  it("publishes an edit that comes while another is being published", async () => {
    await setup.edit("mesh", "a");
    let isFirst = true;
    const compile: NonNullable<PublishFunction["compile"]> = (layers) => {
      const compiled = compileWords(layers);
      if (isFirst) void setup.edit("mesh", "b");
      isFirst = false;
      return compiled;
    };
    await publishHandler({ ...setup.dependencies, compile })(setup.event("mesh"));
    expect((await setup.served()).channels).toEqual({ stable: B });
  });

  it("takes over from a call that was stopped while it waited", async () => {
    await setup.put(layout.editTurn, new Date(setup.clock.time).toISOString());
    await setup.edit("mesh", "a");
    expect(await setup.handler(setup.event("mesh"))).toMatchObject({ changed: false });
    setup.clock.time += 61_000;
    expect(await setup.handler(setup.event("mesh"))).toMatchObject({ changed: true, release: A });
  });

  it("leaves the turn to a call that has taken it over meanwhile", async () => {
    await setup.edit("mesh", "a");
    const compile = (layers: Parameters<typeof compileWords>[0]) => {
      // It sleeps for longer than its turn lasts, and another call begins to wait.
      setup.clock.time += 61_000;
      void setup.put(layout.editTurn, new Date(setup.clock.time).toISOString());
      return compileWords(layers);
    };
    await publishHandler({ ...setup.dependencies, compile })(setup.event("mesh"));
    expect(setup.store.values()).toHaveProperty([layout.editTurn]);
  });

  it("gives the turn of a call that was stopped to one of two that take it over", async () => {
    await setup.put(layout.editTurn, new Date(setup.clock.time).toISOString());
    await setup.edit("mesh", "a");
    setup.clock.time += 61_000;
    let isFirst = true;
    const store = {
      ...setup.store,
      putParameter: async (write: Parameters<typeof setup.store.putParameter>[0]) => {
        const isTaken = isFirst && write.name === layout.editTurn && write.overwrite;
        if (isTaken) isFirst = false;
        // Another call has seen the same turn, and was quicker.
        if (isTaken) await setup.store.putParameter(write);
        return setup.store.putParameter(write);
      },
    };
    const handler = publishHandler({ ...setup.dependencies, store });
    expect(await handler(setup.event("mesh"))).toMatchObject({ changed: false });
  });
});

describe("publishHandler() for a deploy", () => {
  it("publishes and gives the canary a token when the deployment is new", async () => {
    await setup.handler(cloudFormation("Create"), hook);
    expect(setup.responses).toMatchObject([{ status: "SUCCESS" }]);
    const sha256 = createHash("sha256").update(TOKEN).digest("hex");
    expect(await setup.served()).toMatchObject({
      channels: { stable: digestOfTree({}) },
      clusters: { canary: { revisions: { default: "stable" }, tokens: [{ sha256 }] } },
    });
    expect(JSON.stringify([setup.log(), setup.responses])).not.toContain(TOKEN);
    const { table } = setup.store;
    expect(table().get(TOKEN_NAME)?.at(-1)).toMatchObject({ type: "SecureString" });
  });

  it("leaves the canary's token alone when it is there and registered, and repairs half of it", async () => {
    await setup.handler(cloudFormation("Create"), hook);
    const version = () => setup.store.table().get(TOKEN_NAME)?.at(-1)?.version;
    await setup.handler(cloudFormation("Update"), hook);
    expect(version()).toBe(1);
    await setup.lose(layout.cluster("canary"));
    await setup.handler(cloudFormation("Update"), hook);
    expect(version()).toBe(2);
    expect((await setup.served()).clusters).toHaveProperty("canary");
    await setup.store.deleteParameters([TOKEN_NAME]);
    await setup.handler(cloudFormation("Update"), hook);
    expect(version()).toBe(1);
  });

  it("succeeds, and alarms, when the tree is refused and what is served can continue being served", async () => {
    await setup.handler(cloudFormation("Create"), hook);
    await setup.edit("mesh", "bad");
    await setup.handler(cloudFormation("Update"), hook);
    expect(setup.responses[1]).toMatchObject({
      status: "SUCCESS",
      reason: expect.stringContaining("What was served continues being served: Cannot compile mesh"),
    });
    expect(setup.log()[1]).toMatchObject({ level: "error", trigger: "deploy", PublishRefused: 1 });
  });

  it("fails when nothing is served, and when this code cannot load what is", async () => {
    await setup.edit("mesh", "bad");
    await setup.handler(cloudFormation("Create"), hook);
    expect(setup.responses[0]).toMatchObject({ status: "FAILED", reason: expect.stringContaining("it is bad") });
    await setup.edit("mesh", "a");
    await setup.handler(cloudFormation("Create"), hook);
    const load = () => {
      throw new OutriggerError("template-invalid", 'Helper "gone" is not known');
    };
    await publishHandler({ ...setup.dependencies, load })(cloudFormation("Update"), hook);
    expect(setup.responses[2]).toMatchObject({
      status: "FAILED",
      reason: expect.stringContaining("Cannot serve channel stable with this version"),
    });
  });

  it("fails before calls reach the new code when that code cannot load what is served, and writes nothing", async () => {
    await setup.handler(cloudFormation("Create", "CheckRelease"), hook);
    expect([setup.responses[0]?.status, setup.store.values()]).toEqual(["SUCCESS", {}]);
    await setup.handler(cloudFormation("Create"), hook);
    await setup.edit("mesh", "b");
    const before = setup.store.values();
    const load = () => {
      throw new OutriggerError("template-invalid", 'Helper "gone" is not known');
    };
    await publishHandler({ ...setup.dependencies, load })(cloudFormation("Update", "CheckRelease"), hook);
    expect(setup.responses[2]).toMatchObject({
      status: "FAILED",
      reason: expect.stringContaining("Cannot serve channel stable with this version"),
    });
    await setup.handler(cloudFormation("Update", "CheckRelease"), hook);
    await publishHandler({ ...setup.dependencies, load })(cloudFormation("Delete", "CheckRelease"), hook);
    expect(setup.responses.slice(3).map(({ status }) => status)).toEqual(["SUCCESS", "SUCCESS"]);
    expect(setup.store.values()).toEqual(before);
  });

  it("answers CloudFormation when it is not done in time, and when it fails in a way of its own", async () => {
    const store: ParameterStore = { ...setup.store, getParametersByPath: () => new Promise(() => {}) };
    const late = publishHandler({ ...setup.dependencies, store });
    await late(cloudFormation("Update"), { ...hook, getRemainingTimeInMillis: () => 12_000 });
    expect(setup.responses[0]).toMatchObject({ status: "FAILED", reason: expect.stringContaining("not done in time") });
    const compile = () => {
      throw new TypeError("a bug");
    };
    await publishHandler({ ...setup.dependencies, compile })(cloudFormation("Update"), hook);
    expect(setup.responses[1]).toMatchObject({ status: "FAILED", reason: expect.stringContaining("Outrigger itself") });
  });

  describe("that is rolled back", () => {
    const down: ParameterStore["getParametersByPath"] = async () => {
      throw new OutriggerError("store-unavailable", "Cannot read: ThrottlingException");
    };
    const failing = (read = down): PublishFunction => {
      const store = { ...setup.store, getParametersByPath: read, getParameters: read as never };
      return { ...setup.dependencies, store };
    };
    const answered = () => setup.responses.at(-1);
    beforeEach(async () => {
      await setup.handler(cloudFormation("Create"), hook);
      setup.stack.status = "UPDATE_ROLLBACK_IN_PROGRESS";
    });

    it.each(["PublishRelease", "CheckRelease"])("does not fail at %s while Parameter Store does", async (id) => {
      await publishHandler(failing())(cloudFormation("Update", id), hook);
      const reason = expect.stringMatching(/^Cannot read: ThrottlingException; the schedule publishes/);
      expect(answered()).toEqual({ status: "SUCCESS", reason });
      // The alarm is not silent about it.
      expect(setup.log().at(-1)).toMatchObject({ level: "error", trigger: "deploy", PublishFailed: 1 });
      setup.stack.status = "UPDATE_IN_PROGRESS";
      await publishHandler(failing())(cloudFormation("Update", id), hook);
      expect(answered()?.status).toBe("FAILED");
    });

    it("does not fail where it is not done in time, or fails in a way of its own", async () => {
      const late = publishHandler(failing(() => new Promise(() => {})));
      await late(cloudFormation("Update"), { ...hook, getRemainingTimeInMillis: () => 12_000 });
      expect(answered()).toMatchObject({ status: "SUCCESS", reason: expect.stringContaining("not done in time") });
      const compile = () => {
        throw new TypeError("a bug");
      };
      await publishHandler({ ...setup.dependencies, compile })(cloudFormation("Update"), hook);
      expect(answered()).toMatchObject({ status: "SUCCESS", reason: expect.stringContaining("Outrigger itself") });
    });

    it("fails where the code that comes back cannot load what is served, and where a removal leaves something", async () => {
      const load = () => {
        throw new OutriggerError("template-invalid", 'Helper "gone" is not known');
      };
      for (const id of ["PublishRelease", "CheckRelease"]) {
        await publishHandler({ ...setup.dependencies, load })(cloudFormation("Update", id), hook);
        expect(answered()).toMatchObject({ status: "FAILED", reason: expect.stringContaining("Cannot serve channel") });
      }
      await publishHandler(failing())(cloudFormation("Delete"), hook);
      expect(answered()?.status).toBe("FAILED");
    });

    it("fails where the state of the stack cannot be read", async () => {
      const stackStatus = () => Promise.reject(new Error("Cannot read the state of the stack: AccessDenied"));
      await publishHandler({ ...failing(), stackStatus })(cloudFormation("Update"), hook);
      expect(answered()).toEqual({ status: "FAILED", reason: "Cannot read: ThrottlingException" });
    });
  });

  it("removes what was derived and leaves what people wrote when it is deleted", async () => {
    await setup.edit("mesh", "a");
    await setup.handler(cloudFormation("Create"), hook);
    await setup.handler(cloudFormation("Delete"), hook);
    expect(setup.responses[1]).toMatchObject({ status: "SUCCESS" });
    expect(setup.store.values()).toEqual({ [`${layout.source}/mesh`]: "a" });
  });

  it("empties its part of the bucket when it is deleted: CloudFormation deletes no other", async () => {
    const others = "outrigger/prod/objects/x";
    for (const key of [layout.snapshot("x"), layout.release("x"), layout.bucketHead, others])
      await setup.bucket.putObject({ key, text: "text" });
    await setup.handler(cloudFormation("Delete"), hook);
    expect(setup.responses[0]).toMatchObject({ status: "SUCCESS" });
    expect([...setup.bucket.objectTable().keys()]).toEqual([others]);
  });
});

describe("publishHandler() for events of changes", () => {
  const withBus = (sendEvents: NonNullable<PublishFunction["sendEvents"]>) => {
    setup.clock.time += 60_000;
    return publishHandler({ ...setup.dependencies, sendEvents })({ action: "reconcile-rollouts" });
  };

  it("sends them in the look of the schedule, and says how many", async () => {
    await setup.edit("mesh", "a");
    await setup.handler({ action: "publish", cause: { by: "ann", why: "" } });
    const sent: unknown[] = [];
    await withBus(async (events) => sent.push(...events));
    expect(sent).toMatchObject([{ version: 1, action: "publish", by: "ann", release: A }]);
    expect(setup.log().at(-1)).toMatchObject({ level: "info", trigger: "schedule", action: "events", sent: 1 });
  });

  it("neither fails nor changes a look where the bus does not answer", async () => {
    await setup.edit("mesh", "a");
    await setup.handler({ action: "publish", cause: { by: "ann", why: "" } });
    const refuse = async () => {
      throw new OutriggerError("aws-denied", "Cannot send events to audit: the credentials do not allow it");
    };
    expect(await withBus(refuse)).toBeUndefined();
    expect(setup.log().slice(-2)).toMatchObject([
      { action: "settle", Unsettled: 0 },
      { level: "error", action: "events", error: { code: "aws-denied" }, EventsFailed: 1 },
    ]);
  });
});
