import { describe, expect, it } from "vitest";
import { fakeParameterStore } from "./fake-parameter-store.ts";
import type { Fault } from "./fake-service.ts";

const put = (name: string, value = "x", overwrite = true) => ({ name, value, overwrite, tier: "Standard" as const });

describe("fakeParameterStore()", () => {
  it("gives back what was written, with its version and time", async () => {
    const store = fakeParameterStore({ now: () => 1_700_000_000_123 });
    expect(await store.putParameter(put("/a/b", "one"))).toBe(1);
    expect(await store.putParameter(put("/a/b", "two"))).toBe(2);
    expect(await store.getParameters(["/a/b", "/a/none"])).toEqual([
      { name: "/a/b", value: "two", type: "String", version: 2, lastModified: 1_700_000_000_123 },
    ]);
    expect(store.values()).toEqual({ "/a/b": "two" });
  });

  it("counts calls by operation, and forgets them on request", async () => {
    const store = fakeParameterStore();
    await store.putParameter(put("/a"));
    await store.getParameters(["/a"]);
    await store.getParameters(["/a"]);
    expect(store.calls()).toEqual({ PutParameter: 1, GetParameters: 2 });
    store.forgetCalls();
    expect(store.calls()).toEqual({});
  });

  it("gives the same order of answers for the same seed, and the order asked for without one", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `/a/${index}`);
    const orderOf = async (seed: number | false) => {
      const store = fakeParameterStore({ seed });
      for (const name of names) await store.putParameter(put(name));
      return (await store.getParameters(names)).map(({ name }) => name);
    };
    expect(await orderOf(7)).toEqual(await orderOf(7));
    expect(await orderOf(7)).not.toEqual(await orderOf(8));
    expect(await orderOf(false)).toEqual(names);
  });

  it("throttles what goes beyond the rate, and lets a second's worth through again a second later", async () => {
    let now = 0;
    const store = fakeParameterStore({ rate: 3, now: () => now });
    const outcomes = async () => {
      const calls = Array.from({ length: 5 }, () => store.getParameters(["/a"]));
      return (await Promise.allSettled(calls)).map((call) => (call.status === "rejected" ? call.reason.code : "done"));
    };
    expect(await outcomes()).toEqual(["done", "done", "done", "store-unavailable", "store-unavailable"]);
    expect(store.throttled()).toBe(2);
    now = 1000;
    expect((await outcomes()).filter((outcome) => outcome === "done")).toHaveLength(3);
  });

  it.each<[string, Fault, string]>([
    ["an error", { kind: "error", name: "InternalServerError", status: 500 }, "store-unavailable"],
    ["no permission", { kind: "error", name: "AccessDeniedException", message: "no" }, "store-denied"],
    ["a reset", { kind: "reset" }, "store-unavailable"],
  ])("leaves everything as it was when a write meets %s", async (_what, fault, code) => {
    const store = fakeParameterStore({ fault: () => fault });
    await expect(store.putParameter(put("/a"))).rejects.toMatchObject({ code });
    expect(store.values()).toEqual({});
  });

  it.each<[string, Fault]>([
    ["reset after it", { kind: "reset", after: true }],
    ["answered with half an answer", { kind: "truncated" }],
    ["answered with no JSON", { kind: "garbled" }],
  ])("has written when the call is %s, and says that the result is unknown", async (_what, fault) => {
    const store = fakeParameterStore({ fault: () => fault });
    await expect(store.putParameter(put("/a"))).rejects.toMatchObject({ code: "store-unavailable" });
    expect(store.values()).toEqual({ "/a": "x" });
  });

  it("gives a hanging call up when its signal says so, and makes none when it said so before", async () => {
    const store = fakeParameterStore({ fault: () => ({ kind: "hang" }) });
    const giveUp = new AbortController();
    const read = store.getParameters(["/a"], { signal: giveUp.signal });
    giveUp.abort();
    await expect(read).rejects.toMatchObject({
      code: "store-unavailable",
      message: expect.stringContaining("in time"),
    });
    await expect(store.getParameters(["/a"], { signal: giveUp.signal })).rejects.toThrow("in time");
    expect(store.calls()).toEqual({ GetParameters: 1 });
  });

  it("lets `around` order calls and end a process between two of them", async () => {
    const crash = new Error("crash");
    const seen: string[] = [];
    const store = fakeParameterStore({
      around: async ({ operation, input }, perform) => {
        if (input["Name"] === "/b") throw crash;
        seen.push(operation);
        return perform();
      },
    });
    await store.putParameter(put("/a"));
    await expect(store.putParameter(put("/b"))).rejects.toBe(crash);
    expect([seen, store.values()]).toEqual([["PutParameter"], { "/a": "x" }]);
  });

  it("reports each change, and nothing when nothing changes", async () => {
    const changes: string[] = [];
    const store = fakeParameterStore({ onChange: ({ name, operation }) => changes.push(`${operation} ${name}`) });
    await store.putParameter(put("/a"));
    await store.putParameter(put("/a"));
    await expect(store.putParameter(put("/a", "y", false))).rejects.toMatchObject({ code: "parameter-exists" });
    await store.deleteParameters(["/a", "/none"]);
    expect(changes).toEqual(["Create /a", "Update /a", "Delete /a"]);
  });

  it("keeps a table as it was when it is written to later", async () => {
    const store = fakeParameterStore();
    await store.putParameter(put("/a"));
    const before = store.table();
    await store.deleteParameters(["/a"]);
    const again = fakeParameterStore({ table: before });
    expect([store.values(), again.values()]).toEqual([{}, { "/a": "x" }]);
  });
});
