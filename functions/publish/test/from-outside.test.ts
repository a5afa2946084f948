// What comes from outside, as it comes: throttling for ten minutes, parameters that expire, a key that may not be used, and events that
// are an hour late and come twice. The schedule and the events alone serve what was edited, and say what they could not do.
import { OutriggerError } from "@outrigger/base";
import type { PublisherDependencies } from "@outrigger/publisher";
import { beforeEach, describe, expect, it } from "vitest";
import { packFast } from "../../../test/support/pack-quickly.ts";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import type { PublishFunction } from "../dependencies.ts";
import { DEPLOY_HOOK, publishHandler } from "../handler.ts";

const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });
const MINUTE = 60_000;
const ROLLOUTS = { action: "reconcile-rollouts" };
const RECONCILE = { action: "reconcile" };
const cause = { by: "ann", why: "" };

let setup: ReturnType<typeof publisherSetup>;
let lines: string[];

beforeEach(async () => {
  setup = publisherSetup({ pack: packFast });
  lines = [];
  await setup.edit("mesh", "a");
  await setup.run({ action: "publish" });
  await setup.run({ action: "put-cluster", cluster: "shop", record: { revisions: { default: "stable" }, arn: "" } });
  await looks();
});

function handle(event: unknown, more: Partial<PublishFunction> = {}, context: object = {}) {
  const handler = publishHandler({
    ...setup.dependencies,
    stage: "dev",
    version: "1.2.3",
    stackId: "arn:aws:cloudformation:us-east-1:1:stack/outrigger-dev/1",
    stackStatus: async () => "UPDATE_IN_PROGRESS",
    write: (line) => void lines.push(line),
    // The watch over a deploy's time never ends in these tests.
    sleep: (milliseconds) => (milliseconds > 30_000 ? new Promise(() => {}) : wait(milliseconds)),
    respond: async () => {},
    canaryToken: `${layout.prefix}/canary/token`,
    makeToken: () => "t".repeat(43),
    putSecret: async () => {},
    ...more,
  });
  return handler(event, context);
}

async function wait(milliseconds: number): Promise<void> {
  setup.clock.time += milliseconds;
}

async function looks(more: Partial<PublisherDependencies> = {}): Promise<void> {
  for (const event of [ROLLOUTS, RECONCILE, ROLLOUTS, RECONCILE]) {
    setup.clock.time += MINUTE;
    await handle(event, more).catch(() => undefined);
  }
}

const edit = (time: number) => ({
  source: "aws.ssm",
  time: new Date(time).toISOString(),
  detail: { name: layout.sourceParameter("mesh") },
});

describe("the publish function", () => {
  it("says that it is throttled for ten minutes, and publishes the edit when it is not any more", async () => {
    await setup.edit("mesh", "b");
    const refuse = () => Promise.reject(new OutriggerError("store-unavailable", "Cannot read: throttled"));
    const store = {
      getParameters: refuse,
      getParametersByPath: refuse,
      putParameter: refuse,
      deleteParameters: refuse,
      objects: setup.store.objects,
    };
    await expect(handle(edit(setup.clock.time), { store })).rejects.toMatchObject({ code: "store-unavailable" });
    for (let minute = 0; minute < 10; minute += 4) {
      lines = [];
      await looks({ store });
      expect(lines.filter((line) => line.includes('"PublishFailed":1'))).toHaveLength(4);
    }
    expect((await setup.served()).channels).toEqual({ stable: A });
    await looks();
    expect((await setup.served()).channels).toEqual({ stable: B });
    expect(lines.at(-1)).toContain('"OldestUnpublishedEditSeconds":0');
  });

  it("serves the same when a parameter has expired, and derives it again or names it", async () => {
    const before = await setup.served();
    const derived = Object.keys(setup.store.values()).filter((name) => !name.startsWith(`${layout.source}/`));
    expect(derived.length).toBeGreaterThan(4);
    for (const name of derived) {
      const value = setup.store.values()[name] as string;
      lines = [];
      await setup.store.deleteParameters([name]);
      setup.clock.time += 24 * 60 * MINUTE;
      await looks();
      const { seq: _, change: __, ...served } = await setup.served();
      expect({ name, ...served }).toEqual({ name, ...before, seq: undefined, change: undefined });
      const isAgain = setup.store.values()[name] !== undefined;
      const isRecord = name.startsWith(`${layout.channels}/`) || name.startsWith(`${layout.clusters}/`);
      // An entry of the log is of nobody.
      const isOfLog = name.startsWith(`${layout.changes}/`);
      expect({ name, isHandled: isAgain || (isRecord ? lines.join("").includes(name) : isOfLog) }).toEqual({
        name,
        isHandled: true,
      });
      if (!isAgain) await setup.put(name, value);
    }
  });

  it("fails a deploy with the reason where the key may not be used, and serves what was served", async () => {
    const reasons: unknown[] = [];
    const putSecret = () => Promise.reject(new OutriggerError("store-denied", "Cannot write: kms:Encrypt is denied"));
    const event = {
      RequestType: "Update",
      ResponseURL: "https://example.s3.amazonaws.com/x",
      StackId: "arn:aws:cloudformation:us-east-1:1:stack/outrigger-dev/1",
      RequestId: "1",
      LogicalResourceId: "PublishRelease",
      PhysicalResourceId: "x",
    };
    const invokedFunctionArn = `arn:aws:lambda:us-east-1:1:function:outrigger-dev-publish:${DEPLOY_HOOK}`;
    const respond: PublishFunction["respond"] = async ({ response }) => void reasons.push(response);
    await handle(event, { putSecret, respond }, { invokedFunctionArn });
    expect(reasons).toEqual([{ status: "FAILED", reason: expect.stringContaining("kms:Encrypt is denied") }]);
    expect((await setup.served()).channels).toEqual({ stable: A });
  });

  it("publishes an edit once whose event is an hour late and comes twice", async () => {
    await setup.edit("mesh", "b");
    const edited = setup.clock.time;
    setup.clock.time += 60 * MINUTE;
    const results = await Promise.all([handle(edit(edited)), handle(edit(edited))]);
    results.push(await handle(edit(edited)));
    expect(results.filter((result) => result?.ok === true && result.changed)).toHaveLength(1);
    const { history } = JSON.parse(setup.store.values()[layout.channel("stable")] as string);
    expect(history).toHaveLength(2);
    expect((await setup.served()).channels).toEqual({ stable: B });
    await setup.run({ action: "rollback", channel: "stable", cause } as never);
    expect(await handle(edit(edited))).toMatchObject({ ok: true, changed: false });
    expect((await setup.served()).channels).toEqual({ stable: A });
  });
});
