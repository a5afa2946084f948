import type { ParameterReader } from "@outrigger/aws";
import { describe, expect, it } from "vitest";
import { publisherSetup } from "../../../test/support/publisher-setup.ts";
import { readLog, readLogEnd } from "./change-log.ts";
import { readState } from "./read-state.ts";
import { numbersDigest } from "./record-numbers.ts";

describe("readLog()", () => {
  const WEEKS = 7 * 24 * 3600 * 1000;

  it("names the entries that are too old, the newest one apart, and the highest number", async () => {
    const { clock, dependencies, edit, run } = publisherSetup();
    await edit("mesh", "a");
    await run({ action: "publish", channel: "stable" });
    await run({ action: "pin", channel: "stable" });
    const read = () => readLog(dependencies);
    expect(await read()).toMatchObject({ entries: [{ number: 1 }, { number: 2 }], last: 2, expired: [] });
    clock.time += 60 * WEEKS;
    expect(await read()).toMatchObject({ last: 2, expired: [1] });
    await run({ action: "unpin", channel: "stable" });
    expect((await read()).last).toBe(3);
  });

  it("is empty where nothing was done", async () => {
    const { dependencies } = publisherSetup();
    expect(await readLog(dependencies)).toEqual({ entries: [], last: 0, expired: [] });
  });
});

describe("readLogEnd()", () => {
  it("reads entries in the order of their numbers, whatever order the store answers in", async () => {
    const { dependencies, edit, run, store } = publisherSetup();
    await edit("mesh", "a");
    await run({ action: "publish", channel: "stable" });
    await run({ action: "pin", channel: "stable" });
    await run({ action: "unpin", channel: "stable" });
    const { numbers } = await readState(dependencies);
    const backwards: ParameterReader = {
      ...store,
      getParameters: async (names) => (await store.getParameters(names)).toReversed(),
    };
    const numbersOf = async (reader: ParameterReader) => {
      const end = await readLogEnd({ ...dependencies, store: reader }, 1, numbersDigest(numbers));
      return end?.entries.map(({ number }) => number);
    };
    expect(await numbersOf(backwards)).toEqual([1, 2, 3]);
    expect(await numbersOf(store)).toEqual([1, 2, 3]);
  });
});

describe("numbersDigest()", () => {
  it("is the same in any order, and another one for any other number", () => {
    const digest = numbersDigest({ "channel/stable": 3, "cluster/one": 4 });
    expect(digest).toMatch(/^[0-9a-f]{16}$/);
    expect(numbersDigest({ "cluster/one": 4, "channel/stable": 3 })).toBe(digest);
    expect(numbersDigest({ "channel/stable": 3, "cluster/one": 5 })).not.toBe(digest);
    expect(numbersDigest({ "channel/stable": 3, "cluster/one": undefined })).toBeUndefined();
  });
});
