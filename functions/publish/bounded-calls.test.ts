import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { publisherSetup } from "../../test/support/publisher-setup.ts";
import { boundedCalls } from "./bounded-calls.ts";
import type { PublishFunction } from "./dependencies.ts";

describe("boundedCalls() of a store that does not answer", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each([
    [120_000, 20_000, "Parameter Store has not answered within 20 seconds: try again"],
    [900, 900, "The time of this call was over before Parameter Store answered, which is slow or throttles: try again"],
    [0, 0, "The time of this call was over before Parameter Store answered, which is slow or throttles: try again"],
  ])("with %i ms left, fails after %i ms: %s", async (left, until, words) => {
    const { dependencies } = publisherSetup();
    const store = { ...dependencies.store, getParameters: () => new Promise<never>(() => {}) };
    const write = () => {};
    const bounded = boundedCalls({ ...dependencies, store, write } as unknown as PublishFunction, left);
    const failed = bounded.store.getParameters(["/a"]).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(until);
    expect(await failed).toMatchObject({ code: "store-unavailable", message: expect.stringContaining(words) });
  });

  it("says once in the log for which call it waits for long, and how much was made by then", async () => {
    const lines: string[] = [];
    const { dependencies } = publisherSetup();
    const name = "/a";
    const store = { ...dependencies.store, getParameters: () => new Promise<never>(() => {}) };
    const write = (line: string) => void lines.push(line);
    const bounded = boundedCalls({ ...dependencies, store, write } as unknown as PublishFunction, 120_000);
    await bounded.store.putParameter({ name, value: "b", overwrite: false, tier: "Standard" });
    const failed = bounded.store.getParameters([name]).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(4999);
    expect(lines).toEqual([]);
    await vi.advanceTimersByTimeAsync(100_000);
    expect(await failed).toMatchObject({ code: "store-unavailable" });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: "warn",
        event: "waiting",
        message:
          "Parameter Store has not answered for 5 seconds: it is slow or throttles; 1 write has been made, and what is made stays",
        writes: 1,
      },
    ]);
  });
});
