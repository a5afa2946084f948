import type { ParameterStore } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import { manifestText, type PublisherDependencies, treeDigest } from "@outrigger/publisher";
import { beforeEach, describe, expect, it } from "vitest";
import { digestOfTree, layout, publisherSetup } from "../../test/support/publisher-setup.ts";
import { type EditEvent, isEdit, onEdit } from "./on-edit.ts";

const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });

let setup: ReturnType<typeof editSetup>;
beforeEach(() => {
  setup = editSetup();
});

/** The clock moves only while something sleeps, so that every wait is exact. */
function editSetup() {
  const publisher = publisherSetup();
  const { clock } = publisher;
  const sleeps: number[] = [];
  const during: (() => Promise<unknown>)[] = [];
  const dependencies: PublisherDependencies = {
    ...publisher.dependencies,
    now: () => new Date(clock.time),
    sleep: async (milliseconds) => {
      if (!(milliseconds > 0) || sleeps.length > 50) throw new Error(`It sleeps for ${milliseconds}`);
      sleeps.push(milliseconds);
      clock.time += milliseconds;
      await during.shift()?.();
    },
  };
  const handle = onEdit();
  return {
    ...publisher,
    dependencies,
    sleeps,
    during,
    handle: (event: EditEvent) => handle(event, dependencies),
    /** An event's time is in whole seconds. */
    event: (time = clock.time): EditEvent => ({
      source: "aws.ssm",
      time: `${new Date(time).toISOString().slice(0, 19)}Z`,
      detail: { name: layout.sourceParameter("mesh") },
    }),
    channels: async () => (await publisher.served()).channels,
  };
}

describe("onEdit() for an edit soon after another", () => {
  it("publishes an edit of the very second in which the one before was published", async () => {
    setup.clock.time += 300;
    await setup.edit("mesh", "a");
    await setup.handle(setup.event());
    const published = setup.clock.time;
    setup.clock.time += 400;
    await setup.edit("mesh", "b");
    const event = setup.event();
    expect(Date.parse(event.time)).toBeLessThan(published);
    await setup.handle(event);
    expect(await setup.channels()).toEqual({ stable: B });
  });

  it("publishes an edit whose event has a clock that is nearly two seconds late", async () => {
    await setup.edit("mesh", "a");
    await setup.handle(setup.event());
    await setup.edit("mesh", "b");
    await setup.handle(setup.event(setup.clock.time - 1000));
    expect(await setup.channels()).toEqual({ stable: B });
  });

  it("ends without a call for an event two seconds or more before the last publication", async () => {
    await setup.edit("mesh", "a");
    await setup.handle(setup.event());
    setup.store.forgetCalls();
    expect(await setup.handle(setup.event(setup.clock.time - 2000))).toMatchObject({ ok: true, changed: false });
    expect(setup.store.calls()).toEqual({});
  });

  it("tries the same event again after a failure, but not after a refusal", async () => {
    await setup.edit("mesh", "a");
    const event = setup.event();
    const putParameter: ParameterStore["putParameter"] = async () => {
      throw new OutriggerError("store-unavailable", "ThrottlingException");
    };
    let isDown = true;
    const store: ParameterStore = {
      ...setup.store,
      putParameter: (write) => (isDown ? putParameter(write) : setup.store.putParameter(write)),
    };
    const edits = onEdit();
    const handle = (event: EditEvent) => edits(event, { ...setup.dependencies, store });
    expect(await handle(event)).toMatchObject({ ok: false, error: { code: "store-unavailable" } });
    isDown = false;
    expect(await handle(event)).toMatchObject({ ok: true, changed: true, release: A });

    setup.clock.time += 60_000;
    await setup.edit("mesh", "bad");
    const refused = setup.event();
    expect(await handle(refused)).toMatchObject({ ok: false, error: { code: "template-invalid" } });
    setup.store.forgetCalls();
    expect(await handle(refused)).toMatchObject({ ok: true, changed: false });
    expect(setup.store.calls()).toEqual({});
  });

  it("leaves a pinned channel where it is", async () => {
    await setup.edit("mesh", "a");
    await setup.handle(setup.event());
    await setup.run({ action: "pin", channel: "stable" });
    setup.clock.time += 60_000;
    await setup.edit("mesh", "b");
    expect(await setup.handle(setup.event())).toMatchObject({ ok: true, changed: false });
    expect(await setup.channels()).toEqual({ stable: A });
  });
});

describe("onEdit() while it waits", () => {
  it("waits until two seconds after the last edit, however old the event is", async () => {
    await setup.edit("mesh", "a");
    const event = setup.event(setup.clock.time - 5000);
    setup.clock.time += 500;
    await setup.handle(event);
    expect(setup.sleeps).toEqual([1500]);
  });

  it("waits for the event's time where what was edited is gone", async () => {
    await setup.edit("mesh", "a");
    setup.clock.time += 60_000;
    const event = setup.event();
    setup.clock.time += 200;
    await setup.handle(event);
    expect(setup.sleeps).toEqual([1800]);
  });

  it("does not wait when the last edit was two seconds ago", async () => {
    await setup.edit("mesh", "a");
    const event = setup.event();
    setup.clock.time += 2000;
    await setup.handle(event);
    expect(setup.sleeps).toEqual([]);
    expect(await setup.channels()).toEqual({ stable: A });
  });

  it("looks every two seconds, where an edit seems to be in the future", async () => {
    await setup.edit("mesh", "a");
    await setup.handle(setup.event(setup.clock.time + 3000));
    expect(setup.sleeps).toEqual([2000, 2000, 1000]);
  });

  it("goes by the parameters where an event has no time", async () => {
    await setup.edit("mesh", "a");
    setup.clock.time += 500;
    await setup.handle({ ...setup.event(), time: "soon" });
    expect(setup.sleeps).toEqual([1500]);
    expect(await setup.channels()).toEqual({ stable: A });
  });

  it("publishes after twenty seconds when edits do not stop", async () => {
    await setup.edit("mesh", "a");
    for (let count = 0; count < 30; count++) setup.during.push(() => setup.edit("mesh", `a${count}`));
    await setup.handle(setup.event());
    expect(setup.sleeps).toEqual(Array.from({ length: 10 }, () => 2000));
    expect(await setup.channels()).toEqual({ stable: digestOfTree({ mesh: "a9" }) });
  });

  it.each([
    [9 * 60_000, { ok: true, changed: false }],
    [10 * 60_000, { ok: false, error: { code: "tree-half-pushed" } }],
  ])("takes a push that began %d ms ago for given up after ten minutes", async (age, expected) => {
    const at = new Date(setup.clock.time - age).toISOString();
    const digest = treeDigest({ mesh: "b" });
    await setup.put(layout.sourceParameter("manifest"), manifestText({ state: "pushing", digest, by: "bob", at }));
    await setup.edit("mesh", "half");
    expect(await setup.handle(setup.event())).toMatchObject(expected);
  });

  it("reports what keeps it from reading the tree, as a failure", async () => {
    const store: ParameterStore = {
      ...setup.store,
      getParametersByPath: async () => {
        throw new OutriggerError("store-denied", "AccessDenied");
      },
    };
    expect(await onEdit()(setup.event(), { ...setup.dependencies, store })).toMatchObject({
      ok: false,
      error: { code: "store-denied" },
    });
    expect(setup.store.values()).not.toHaveProperty([layout.editTurn]);
  });
});

describe("isEdit()", () => {
  const event = { source: "aws.ssm", time: "2026-01-02T03:04:05Z", detail: { name: "/outrigger/dev/source/mesh" } };

  it("is true for an event of Parameter Store", () => {
    expect(isEdit(event)).toBe(true);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a text", "aws.ssm"],
    ["an event of another service", { ...event, source: "aws.s3" }],
    ["an event without a time", { ...event, time: undefined }],
    ["an event whose time is a number", { ...event, time: 1 }],
    ["an event without a detail", { ...event, detail: undefined }],
    ["an event whose detail is a text", { ...event, detail: "mesh" }],
    ["an event that names no parameter", { ...event, detail: {} }],
  ])("is false for %s", (_what, value) => {
    expect(isEdit(value)).toBe(false);
  });
});
