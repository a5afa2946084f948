import type { ParameterStore } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import { beforeEach, describe, expect, it } from "vitest";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import { collectGarbage } from "./collect-garbage.ts";

const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });
const C = digestOfTree({ mesh: "c" });
const HOUR = 60 * 60 * 1000;

let setup: ReturnType<typeof publisherSetup>;
beforeEach(() => {
  setup = publisherSetup();
});

async function publish(text: string, channel = "stable"): Promise<void> {
  await setup.edit("mesh", text);
  expect(await setup.run({ action: "publish", channel })).toMatchObject({ ok: true });
}

/** An object that nothing names. */
const put = (key: string) => setup.bucket.putObject({ key, text: "what a crash left" });

/** Collects as of the clock's time exactly. */
function collect(more: Partial<PublisherDependencies> = {}): Promise<readonly string[]> {
  const now = () => new Date(setup.clock.time);
  return collectGarbage({ ...setup.dependencies, now, ...more });
}

const releases = () => keysOf(setup.bucket.objectTable()).filter((key) => key.startsWith(layout.releases));
const snapshots = () =>
  keysOf(setup.bucket.objectTable()).filter((key) => !key.startsWith(layout.releases) && key !== layout.bucketHead);

function keysOf(table: ReadonlyMap<string, unknown>): readonly string[] {
  return [...table.keys()].sort();
}

const UNNAMED = layout.release("000000000000");

describe("collectGarbage() for releases", () => {
  it("keeps all of them while a channel's record cannot be read: its history may name any", async () => {
    await publish("a");
    await publish("b", "canary");
    await publish("c", "canary");
    await put(UNNAMED);
    await setup.put(layout.channel("canary"), "nonsense");
    setup.clock.time += HOUR + 1;
    const before = releases();
    expect(await collect()).toEqual([]);
    expect(releases()).toEqual(before);
    expect(before).toEqual(["000000000000", A, B, C].map(layout.release).sort());
  });

  it("continues where only a cluster's record cannot be read", async () => {
    await publish("a");
    await put(UNNAMED);
    await setup.put(layout.cluster("c1"), "nonsense");
    setup.clock.time += HOUR + 1;
    await collect();
    expect(releases()).toEqual([layout.release(A)]);
  });

  it("keeps what a history names, and what is served without a record", async () => {
    await publish("a");
    await publish("b");
    await publish("c", "canary");
    await setup.store.deleteParameters([layout.channel("canary")]);
    setup.clock.time += HOUR + 1;
    await collect();
    expect(releases()).toEqual([A, B, C].map(layout.release).sort());
  });

  it("keeps what has been written within the hour, the last time", async () => {
    await publish("a");
    await put(UNNAMED);
    const written = setup.clock.time;
    setup.clock.time = written + HOUR;
    await collect();
    expect(releases()).toContain(UNNAMED);
    setup.clock.time = written + HOUR - 1;
    await put(UNNAMED);
    setup.clock.time = written + HOUR + 1;
    await collect();
    expect(releases()).toContain(UNNAMED);
    setup.clock.time = written + 2 * HOUR;
    await collect();
    expect(releases()).toEqual([layout.release(A)]);
  });

  it("does not read the records where no release is old enough", async () => {
    await publish("a");
    setup.store.forgetCalls();
    await collect();
    // The log's.
    expect(setup.store.calls()).toEqual({ GetParametersByPath: 2 });
  });

  it("keeps one that is written again while it collects", async () => {
    await publish("a");
    await put(UNNAMED);
    setup.clock.time += HOUR + 1;
    let isListed = false;
    const objects: typeof setup.bucket = {
      ...setup.bucket,
      listObjects: async (...call) => {
        const listed = await setup.bucket.listObjects(...call);
        if (!isListed) await put(UNNAMED);
        isListed = true;
        return listed;
      },
    };
    await collect({ store: { ...setup.store, objects } });
    expect(releases()).toContain(UNNAMED);
  });

  it("leaves what is of another deployment in the same bucket", async () => {
    const other = layout.release("000000000000").replace("/dev/", "/prod/");
    await put(other);
    setup.clock.time += HOUR + 1;
    expect(await collect()).toEqual([]);
    expect(setup.bucket.objectTable().has(other)).toBe(true);
  });
});

describe("collectGarbage() for snapshots", () => {
  it("takes away what was superseded over an hour ago, however old it is itself", async () => {
    await publish("a");
    const [first] = snapshots();
    setup.clock.time += 5 * HOUR;
    await publish("b");
    setup.clock.time += HOUR - 100;
    await collect();
    expect(snapshots()).toHaveLength(2);
    setup.clock.time += 200;
    await collect();
    expect(snapshots()).toHaveLength(1);
    expect(snapshots()).not.toContain(first);
  });

  it("keeps a snapshot until the hour after the next one is over", async () => {
    await put(layout.snapshot("bbbbbbbbbbbb"));
    setup.clock.time += 1;
    await put(layout.snapshot("aaaaaaaaaaaa"));
    const superseded = setup.clock.time;
    setup.clock.time = superseded + HOUR;
    await collect();
    expect(snapshots()).toEqual([layout.snapshot("aaaaaaaaaaaa"), layout.snapshot("bbbbbbbbbbbb")]);
    setup.clock.time += 1;
    await collect();
    expect(snapshots()).toEqual([layout.snapshot("aaaaaaaaaaaa")]);
  });

  it("keeps the one that is served, where a later one was never committed", async () => {
    await publish("a");
    const [served] = snapshots();
    setup.clock.time += 1000;
    await put(layout.snapshot("aaaaaaaaaaaa"));
    setup.clock.time += 1000;
    await put(layout.snapshot("bbbbbbbbbbbb"));
    setup.clock.time += HOUR + 1;
    await collect();
    expect(snapshots()).toEqual([served, layout.snapshot("bbbbbbbbbbbb")].sort());
    expect((await setup.served()).channels).toEqual({ stable: A });
  });

  it("deletes nothing where none was superseded", async () => {
    await publish("a");
    setup.clock.time += 2 * HOUR;
    await collect();
    expect(setup.bucket.objectCalls()).not.toHaveProperty("DeleteObject");
    expect(snapshots()).toHaveLength(1);
  });
});

describe("collectGarbage() when it fails", () => {
  const failing = (error: Error): ParameterStore => ({
    ...setup.store,
    objects: {
      ...setup.bucket,
      listObjects: async () => {
        throw error;
      },
    },
  });

  it("warns of what the store refuses", async () => {
    const store = failing(new OutriggerError("store-unavailable", "ThrottlingException"));
    expect(await collect({ store })).toEqual([expect.stringContaining("ThrottlingException")]);
  });

  it("throws what is a bug", async () => {
    await expect(collect({ store: failing(new TypeError("a bug")) })).rejects.toThrow("a bug");
  });
});
