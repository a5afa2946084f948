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

/** A folder that nothing names. */
async function put(folder: string, parts = 1): Promise<void> {
  for (let part = 0; part < parts; part++) await setup.put(`${folder}/${part}`, "x");
}

/** Collects as of the clock's time exactly. */
function collect(more: Partial<PublisherDependencies> = {}): Promise<readonly string[]> {
  const now = () => new Date(setup.clock.time);
  return collectGarbage({ ...setup.dependencies, now, ...more });
}

/** Names of the folders directly below. */
function folders(below: string): readonly string[] {
  const names = Object.keys(setup.store.values()).filter((name) => name.startsWith(`${below}/`));
  return [...new Set(names.map((name) => name.slice(below.length + 1).split("/")[0] as string))].sort();
}

const parts = (below: string) =>
  Object.keys(setup.store.values()).filter((name) => name.startsWith(`${below}/`)).length;

describe("collectGarbage() for releases", () => {
  it("keeps all of them while a channel's record cannot be read: its history may name any", async () => {
    await publish("a");
    await publish("b", "canary");
    await publish("c", "canary");
    await put(`${layout.releases}/000000000000`);
    await setup.put(layout.channel("canary"), "nonsense");
    setup.clock.time += HOUR + 1;
    const before = folders(layout.releases);
    expect(await collect()).toEqual([]);
    expect(folders(layout.releases)).toEqual(before);
    expect(before).toEqual(["000000000000", A, B, C].sort());
  });

  it("continues where only a cluster's record cannot be read", async () => {
    await publish("a");
    await put(`${layout.releases}/000000000000`);
    await setup.put(layout.cluster("c1"), "nonsense");
    setup.clock.time += HOUR + 1;
    await collect();
    expect(folders(layout.releases)).toEqual([A]);
  });

  it("keeps what a history names, and what is served without a record", async () => {
    await publish("a");
    await publish("b");
    await publish("c", "canary");
    await setup.store.deleteParameters([layout.channel("canary")]);
    setup.clock.time += HOUR + 1;
    await collect();
    expect(folders(layout.releases)).toEqual([A, B, C].sort());
  });

  it("keeps what has been written within the hour, by its newest part", async () => {
    await publish("a");
    await put(`${layout.releases}/000000000000`, 2);
    const written = setup.clock.time;
    setup.clock.time = written + HOUR;
    await collect();
    expect(folders(layout.releases)).toContain("000000000000");
    setup.clock.time = written + HOUR - 1;
    await setup.put(`${layout.releases}/000000000000/1`, "y");
    setup.clock.time = written + HOUR + 1;
    await collect();
    expect(folders(layout.releases)).toContain("000000000000");
    setup.clock.time = written + 2 * HOUR;
    await collect();
    expect(folders(layout.releases)).toEqual([A]);
  });

  it("does not read the records where no release is old enough", async () => {
    await publish("a");
    setup.store.forgetCalls();
    await collect();
    expect(setup.store.calls()).toEqual({ GetParametersByPath: expect.any(Number) });
  });

  it("takes away as many parts as there are", async () => {
    await publish("a");
    await put(`${layout.releases}/000000000000`, 13);
    await put(`${layout.releases}/111111111111`, 12);
    setup.clock.time += HOUR + 1;
    await collect();
    expect(folders(layout.releases)).toEqual([A]);
  });

  it("keeps what the store gives no time for", async () => {
    await publish("a");
    await put(`${layout.releases}/000000000000`);
    await put(`${layout.snapshots}/aaaaaaaaaaaa`);
    setup.clock.time += HOUR + 1;
    const store: ParameterStore = {
      ...setup.store,
      async getParametersByPath({ path, next }) {
        const page = await setup.store.getParametersByPath({ path, next });
        return { ...page, parameters: page.parameters.map(({ lastModified: _, ...parameter }) => parameter) };
      },
    };
    await collect({ store });
    expect(folders(layout.releases)).toContain("000000000000");
    expect(folders(layout.snapshots)).toContain("aaaaaaaaaaaa");
  });
});

describe("collectGarbage() for snapshots", () => {
  it("takes away what was superseded over an hour ago, however old it is itself", async () => {
    await publish("a");
    const [first] = folders(layout.snapshots);
    setup.clock.time += 5 * HOUR;
    await publish("b");
    setup.clock.time += HOUR - 100;
    await collect();
    expect(folders(layout.snapshots)).toHaveLength(2);
    setup.clock.time += 200;
    await collect();
    expect(folders(layout.snapshots)).toHaveLength(1);
    expect(folders(layout.snapshots)).not.toContain(first);
  });

  it("keeps a snapshot until the hour after the next one is over", async () => {
    await put(`${layout.snapshots}/bbbbbbbbbbbb`);
    setup.clock.time += 1;
    await put(`${layout.snapshots}/aaaaaaaaaaaa`);
    const superseded = setup.clock.time;
    setup.clock.time = superseded + HOUR;
    await collect();
    expect(folders(layout.snapshots)).toEqual(["aaaaaaaaaaaa", "bbbbbbbbbbbb"]);
    setup.clock.time += 1;
    await collect();
    expect(folders(layout.snapshots)).toEqual(["aaaaaaaaaaaa"]);
  });

  it("keeps the one that is served, where a later one was never committed", async () => {
    await publish("a");
    const [served] = folders(layout.snapshots);
    setup.clock.time += 1000;
    await put(`${layout.snapshots}/aaaaaaaaaaaa`);
    setup.clock.time += 1000;
    await put(`${layout.snapshots}/bbbbbbbbbbbb`);
    setup.clock.time += HOUR + 1;
    await collect();
    expect(folders(layout.snapshots)).toEqual([served, "bbbbbbbbbbbb"].sort());
    expect((await setup.served()).channels).toEqual({ stable: A });
  });

  it("deletes nothing where none was superseded", async () => {
    await publish("a");
    setup.store.forgetCalls();
    setup.clock.time += 2 * HOUR;
    await collect();
    expect(setup.store.calls()).not.toHaveProperty("DeleteParameters");
    expect(parts(layout.snapshots)).toBe(1);
  });
});

describe("collectGarbage() when it fails", () => {
  const failing = (error: Error): ParameterStore => ({
    ...setup.store,
    getParametersByPath: async () => {
      throw error;
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
