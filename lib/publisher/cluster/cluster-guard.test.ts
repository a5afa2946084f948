import { type ClusterRecord, recordDigest } from "@outrigger/serving";
import { describe, expect, it, vi } from "vitest";
import { guardedChange } from "./cluster-guard.ts";

const NOW = new Date("2026-11-22T12:00:00Z");
const cause = { by: "ann", why: "" };
const record: ClusterRecord = { revisions: { default: "stable" }, arn: "a", tokens: [] };
const held = (until: string): ClusterRecord => ({ ...record, lease: { id: "a".repeat(16), by: "bob", until } });
const request = (more: object = {}) => ({ cluster: "shop", cause, ...more });

describe("guardedChange() while another command holds the lease", () => {
  it("rejects a change by another while a lease lasts, and names its holder", () => {
    const change = () => guardedChange(request(), held("2026-11-22T12:01:00Z"), NOW, () => record);
    expect(change).toThrow("bob is changing it (until 2026-11-22T12:01:00Z");
  });

  it.each([
    ["the lease is the caller's", { lease: { id: "a".repeat(16), seconds: 1 } }, held("2026-11-22T12:01:00Z")],
    ["the lease has ended", {}, held("2026-11-22T12:00:00Z")],
    ["there is none", {}, record],
    ["there is no record", {}, undefined],
  ])("allows a change when %s", (_what, more, there) => {
    expect(() => guardedChange(request(more), there, NOW, () => record)).not.toThrow();
  });

  it("rejects before the change is tried, although the record would stay as it is", () => {
    const change = vi.fn(() => record);
    expect(() => guardedChange(request(), held("2026-11-22T12:01:00Z"), NOW, change)).toThrow("bob is changing it");
    expect(change).not.toHaveBeenCalled();
  });
});

describe("guardedChange() of a record that was read", () => {
  it("rejects any record but the one that was read, no matter who holds a lease on it", () => {
    const lease = { id: "a".repeat(16), seconds: 60 };
    const change = (expected: string, there: ClusterRecord | undefined) => () =>
      guardedChange(request({ lease, expect: expected }), there, NOW, () => ({ ...record, network: "n" }));
    const digest = recordDigest(record);
    expect(change(digest, held("2026-11-22T12:01:00Z"))).not.toThrow();
    expect(change(digest, { ...record, arn: "b" })).toThrow("changed by another command");
    expect(change(digest, undefined)).toThrow("changed by another command");
    expect(change("none", record)).toThrow("changed by another command");
    expect(change("none", undefined)).not.toThrow();
  });
});

describe("guardedChange()", () => {
  const ended = held("2026-11-22T11:00:00Z");
  const mine = { id: "b".repeat(16), seconds: 60 };
  const digest = recordDigest(record);

  it("takes no lease on another record than the one that was read, even if nothing would change", () => {
    const take = (expected: string) =>
      guardedChange(request({ lease: mine, expect: expected }), record, NOW, () => record)?.lease?.id;
    expect(() => take("f".repeat(64))).toThrow("changed by another command");
    expect(take(digest)).toBe(mine.id);
    // A request may arrive twice.
    const again = guardedChange(
      request({ lease: mine, expect: "none" }),
      { ...ended, lease: { ...mine, by: "ann", until: "2026-11-22T12:01:00Z" } },
      NOW,
      () => record,
    );
    expect(again?.lease?.id).toBe(mine.id);
  });

  it("makes and removes no record that the caller has not seen as it is", () => {
    const make = () => guardedChange(request({ expect: digest }), undefined, NOW, () => record);
    expect(make).toThrow("changed by another command");
    const remove = () => guardedChange(request({ expect: "none" }), record, NOW, () => null);
    expect(remove).toThrow("changed by another command");
  });

  it("removes no record, and releases no lease, where another command has begun and not finished", () => {
    const remove = (more: object) => guardedChange(request({ expect: digest, ...more }), ended, NOW, () => null);
    expect(() => remove({})).toThrow("bob has begun to change it and has not finished");
    expect(() => remove({ lease: mine })).toThrow("has not finished");
    expect(remove({ lease: { id: "a".repeat(16), seconds: 60 } })).toBeNull();
    // With --force nothing is said of what was read.
    expect(guardedChange(request(), ended, NOW, () => null)).toBeNull();
    const release = () =>
      guardedChange(request({ lease: { ...mine, seconds: 0 }, expect: digest }), ended, NOW, () => record);
    expect(release).toThrow("has not finished");
  });

  it("keeps that a command has not finished where a change comes in between that has read nothing", () => {
    const changed = guardedChange(request(), ended, NOW, () => ({ ...record, network: "n" }));
    const remove = () =>
      guardedChange(request({ expect: recordDigest(changed ?? undefined) }), changed ?? undefined, NOW, () => null);
    expect(remove).toThrow("bob has begun to change it and has not finished");
  });
});

describe("guardedChange() with a lease", () => {
  it("takes, keeps and releases a lease", () => {
    const lease = { id: "b".repeat(16), seconds: 60 };
    const until = "2026-11-22T12:01:00.000Z";
    const leaseAfter = (there: ClusterRecord, more: object = {}) =>
      guardedChange(request(more), there, NOW, () => record)?.lease;
    const mine = { id: lease.id, by: "ann", until };
    expect(leaseAfter(record, { lease })).toEqual(mine);
    // A lease in the content that is asked for is nobody's.
    expect(guardedChange(request({ lease }), record, NOW, () => held(until))?.lease).toEqual(mine);
    const ended = held("2026-11-22T11:00:00Z");
    expect(leaseAfter(ended)).toEqual(ended.lease);
    expect(guardedChange(request(), record, NOW, () => held(until))?.lease).toBeUndefined();
    expect(leaseAfter({ ...record, lease: mine }, { lease })).toEqual(mine);
    expect(leaseAfter({ ...record, lease: mine }, { lease: { ...lease, seconds: 0 } })).toBeUndefined();
  });
});
