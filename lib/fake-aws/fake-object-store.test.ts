import { describe, expect, it } from "vitest";
import { fakeObjectStore, inBucket } from "./fake-object-store.ts";

describe("fakeObjectStore()", () => {
  it("gives a hanging call up when its signal says so, and makes none when it said so before", async () => {
    const hanging = fakeObjectStore({ fault: () => ({ kind: "hang" }) });
    const ending = new AbortController();
    const call = hanging.getObject("b/k", { signal: ending.signal });
    ending.abort();
    const given = (verb: string) => `Cannot ${verb} s3://b/k: S3 did not answer in time`;
    await expect(call).rejects.toThrow(given("read"));
    const store = fakeObjectStore();
    await expect(store.putObject({ key: "b/k", text: "x" }, { signal: AbortSignal.abort() })).rejects.toThrow(
      given("write"),
    );
    expect(store.objectTable().size).toBe(0);
  });

  it("shows what was written once its lag is over", async () => {
    let time = 0;
    const store = fakeObjectStore({ now: () => time, lag: () => 5 });
    await store.putObject({ key: "b/k", text: "x" });
    expect(await store.getObject("b/k")).toBeUndefined();
    time = 5;
    expect(await store.getObject("b/k")).toMatchObject({ text: "x" });
    await store.deleteObject("b/k");
    expect(await store.getObject("b/k")).toBeUndefined();
  });

  it("asks to slow down past its calls a second", async () => {
    let time = 0;
    const store = fakeObjectStore({ now: () => time, rate: 2 });
    for (const _ of [1, 2]) expect(await store.getObject("k")).toBeUndefined();
    await expect(store.getObject("k")).rejects.toMatchObject({ code: "store-unavailable" });
    time = 500;
    expect(await store.getObject("k")).toBeUndefined();
    const closed = fakeObjectStore({ rate: 0 });
    await expect(closed.getObject("k")).rejects.toMatchObject({ code: "store-unavailable" });
  });

  it("writes under a condition, as S3 does: only where nothing is, or only over the writing that was read", async () => {
    const store = fakeObjectStore();
    expect(await store.putObject({ key: "k", text: "a", replaces: '"old"' })).toBe(false);
    expect(await store.putObject({ key: "k", text: "a", replaces: null })).toBe(true);
    expect(await store.putObject({ key: "k", text: "b", replaces: null })).toBe(false);
    const { tag = "" } = (await store.getObject("k")) ?? {};
    expect(await store.putObject({ key: "k", text: "b", replaces: tag })).toBe(true);
    expect(await store.putObject({ key: "k", text: "c", replaces: tag })).toBe(false);
    expect(await store.getObject("k")).toMatchObject({ text: "b" });
  });

  it("parts buckets by the beginning of their keys", async () => {
    const all = fakeObjectStore();
    await inBucket("one", all).putObject({ key: "a/k", text: "1" });
    await inBucket("other", all).putObject({ key: "a/k", text: "2" });
    expect((await inBucket("one", all).listObjects("a/")).map(({ key }) => key)).toEqual(["a/k"]);
    await inBucket("one", all).emptyFolder("a/");
    expect([...all.objectTable().keys()]).toEqual(["other/a/k"]);
  });
});
