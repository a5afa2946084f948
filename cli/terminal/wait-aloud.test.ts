import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { waitAloud } from "./wait-aloud.ts";

describe("waitAloud()", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const listener = () => {
    const said: string[] = [];
    return { said, stderr: { write: (text: string) => said.push(text) } };
  };
  const after = (milliseconds: number, fails = false) =>
    new Promise<string>((resolve, reject) => {
      setTimeout(() => (fails ? reject(new Error("no")) : resolve("done")), milliseconds);
    });

  it("says nothing of an answer that comes soon", async () => {
    const io = listener();
    const answer = waitAloud(after(4000), "outrigger-dev-publish", io);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([await answer, io.said, vi.getTimerCount()]).toEqual(["done", [], 0]);
  });

  it("says whom it waits for, and what stays, after 5 s and every 15 s, until the answer or the error", async () => {
    for (const fails of [false, true]) {
      const io = listener();
      const answer = waitAloud(after(40_000, fails), "outrigger-dev-publish", io).catch(
        (error: Error) => error.message,
      );
      await vi.advanceTimersByTimeAsync(120_000);
      expect(await answer).toBe(fails ? "no" : "done");
      const seconds = io.said.map((line) =>
        /^Still waiting for outrigger-dev-publish after (\d+) s: .* stays made/.exec(line),
      );
      expect(seconds.map((found) => found?.[1])).toEqual(["5", "20", "35"]);
      expect(vi.getTimerCount()).toBe(0);
    }
  });
});
