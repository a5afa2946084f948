import { describe, expect, it } from "vitest";
import { fakeObjectStore } from "./fake-object-store.ts";

const place = { bucket: "b", key: "k" };

describe("fakeObjectStore()", () => {
  it("gives a hanging call up when its signal says so, and makes none when it said so before", async () => {
    const hanging = fakeObjectStore({ fault: () => ({ kind: "hang" }) });
    const ending = new AbortController();
    const call = hanging.getObject(place, { signal: ending.signal });
    ending.abort();
    const given = (verb: string) => `Cannot ${verb} s3://b/k: S3 did not answer in time`;
    await expect(call).rejects.toThrow(given("read"));
    const store = fakeObjectStore();
    await expect(store.putObject({ ...place, text: "x" }, { signal: AbortSignal.abort() })).rejects.toThrow(
      given("write"),
    );
    expect(store.objectTable().size).toBe(0);
  });

  it("shows what was written once its lag is over", async () => {
    let time = 0;
    const store = fakeObjectStore({ now: () => time, lag: () => 5 });
    await store.putObject({ ...place, text: "x" });
    expect(await store.getObject(place)).toBeUndefined();
    time = 5;
    expect(await store.getObject(place)).toBe("x");
    await store.deleteObject(place);
    expect(await store.getObject(place)).toBeUndefined();
  });
});
