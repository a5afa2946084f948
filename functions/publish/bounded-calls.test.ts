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
    const bounded = boundedCalls({ ...dependencies, store } as unknown as PublishFunction, left);
    const failed = bounded.store.getParameters(["/a"]).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(until);
    expect(await failed).toMatchObject({ code: "store-unavailable", message: expect.stringContaining(words) });
  });
});
