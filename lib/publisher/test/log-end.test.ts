// The end of the change log in place of all of it: what a request reads does not grow with the log, and a request that arrives again
// finds its entry however many came after it, whatever the entries in between say.
import { describe, expect, it } from "vitest";
import { packFast } from "../../../test/support/pack-quickly.ts";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { parseRecent, recentText, requestHash } from "../records/recent-requests.ts";

const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });
const record = { revisions: { default: "stable" }, arn: "" };
const ROLLBACK = { action: "rollback", channel: "stable", release: A, serving: B, id: "request-1" } as const;

/** A, then B; a rollback to A by a request with an ID, and then as many changes of a cluster as asked for. */
async function deployed(changes: number, withIds = false, arn = "") {
  const setup = publisherSetup({ seed: false, pack: packFast });
  for (const text of ["a", "b"]) {
    await setup.edit("mesh", text);
    await setup.run({ action: "publish" });
  }
  const first = await setup.run(ROLLBACK);
  for (let change = 0; change < changes; change++) {
    setup.clock.time += 1000;
    const id = withIds ? { id: `change-${change}-of-many-others` } : {};
    await setup.run({
      action: "put-cluster",
      cluster: "shop",
      record: { ...record, arn, network: `n${change}` },
      ...id,
    });
  }
  const entries = () => Object.keys(setup.store.values()).filter((name) => name.startsWith(`${layout.changes}/`));
  /** Makes each entry what `change` gives. */
  const rewrite = async (names: readonly string[], change: (entry: Record<string, unknown>) => object) => {
    for (const name of names) {
      const entry = JSON.parse(setup.store.values()[name] as string);
      await setup.put(name, JSON.stringify(change(entry), null, 1));
    }
  };
  const reads = async (request: Parameters<typeof setup.run>[0]) => {
    setup.store.forgetCalls();
    expect(await setup.run(request)).toMatchObject({ ok: true });
    const { GetParameters = 0, GetParametersByPath = 0 } = setup.store.calls();
    return GetParameters + GetParametersByPath;
  };
  const again = async () => {
    const before = entries().length;
    expect(await setup.run(ROLLBACK)).toMatchObject({ ...first, seq: expect.any(Number), changed: true });
    expect(entries()).toHaveLength(before);
  };
  return { ...setup, entries, rewrite, reads, again };
}

const pin = { action: "pin", channel: "stable", release: B } as const;
const newest = (names: readonly string[]) => names.slice(-1);

describe("a request after many changes", () => {
  it("reads as much as after few", async () => {
    const few = await deployed(1);
    const many = await deployed(30);
    expect(many.entries().length).toBeGreaterThan(30);
    expect(await many.reads(pin)).toBe(await few.reads(pin));
  });

  it("does not collect garbage where a person waits, and does for an edit", async () => {
    const { edit, run, clock, reads, store } = await deployed(25);
    clock.time += 2 * 60 * 60 * 1000;
    const snapshots = () =>
      [...store.objects.objectTable().keys()].filter((key) => /\/objects\/[0-9a-f]{32}$/.test(key)).length;
    const before = snapshots();
    expect(await reads(pin)).toBeLessThan(10);
    expect(snapshots()).toBeGreaterThan(before);
    await run({ action: "unpin", channel: "stable" });
    await edit("mesh", "c");
    await run({ action: "publish", automatic: true });
    expect(snapshots()).toBeLessThan(before);
  });
});

describe("a request that arrives again", () => {
  it.each([0, 8, 9, 25])("finds its entry after %i more changes", async (changes) => {
    await (await deployed(changes)).again();
  });

  it("finds it among more requests with IDs than an entry can name", async () => {
    const { again, entries, store } = await deployed(30, true, "x".repeat(3400));
    const named = entries().filter((name) => JSON.parse(store.values()[name] as string).recent !== undefined);
    expect(named.length).toBeLessThan(entries().length);
    await again();
  });

  it("finds it in a log that an earlier version has written", async () => {
    const { again, entries, rewrite, run } = await deployed(12);
    await rewrite(entries(), ({ recent, records, ...entry }) => entry);
    await again();
    expect(await run({ action: "put-cluster", cluster: "bank", record })).toMatchObject({ ok: true });
    await again();
  });

  it("finds it where an earlier version has written the newest entries", async () => {
    const { again, entries, rewrite, run } = await deployed(12);
    await rewrite(entries().slice(-3), ({ recent, records, ...entry }) => entry);
    expect(await run({ action: "put-cluster", cluster: "bank", record })).toMatchObject({ ok: true });
    await again();
  });

  it("finds it where another request has the same short form", async () => {
    const { again, entries, rewrite, clock } = await deployed(12);
    const other = { hash: requestHash(ROLLBACK.id), number: 5, minute: Math.floor(clock.time / 60_000) };
    await rewrite(newest(entries()), (entry) => ({ ...entry, recent: recentText([other]) }));
    await again();
  });

  it("is not carried out again where a record was damaged, deleted or written by hand since", async () => {
    for (const value of ["nonsense", undefined, JSON.stringify(record, null, 1)]) {
      const { again, put, store } = await deployed(12);
      if (value === undefined) await store.deleteParameters([layout.cluster("shop")]);
      else await put(layout.cluster("shop"), value);
      const before = store.values()[layout.channel("stable")];
      await again().catch(() => undefined);
      expect(store.values()[layout.channel("stable")]).toBe(before);
    }
  });
});

describe("recentText()", () => {
  it("is read back", () => {
    const requests = [
      { hash: requestHash("request-1"), number: 7, minute: 29_000_000 },
      { hash: requestHash("request-2"), number: 999_999_999_999, minute: 29_000_001 },
    ];
    expect(parseRecent(recentText(requests))).toEqual(requests);
    expect(parseRecent(recentText([]))).toEqual([]);
  });

  it.each([undefined, 1, "x", "abcdefgh 1", "abcdefgh 1 1,"])("is not read from %j", (text) => {
    expect(parseRecent(text)).toBeUndefined();
  });
});
