import type { PublisherResult } from "@outrigger/publisher";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { publishEdits } from "./publish-edits.ts";

const DONE: PublisherResult = { ok: true, message: "stable serves b now", seq: 2, changed: true, warnings: ["odd"] };

describe("publishEdits()", () => {
  let lines: string[];
  let published: number;
  let answer: () => Promise<PublisherResult>;
  let edits: ReturnType<typeof publishEdits>;
  beforeEach(() => {
    vi.useFakeTimers();
    lines = [];
    published = 0;
    answer = async () => DONE;
    const publish = () => {
      published++;
      return answer();
    };
    edits = publishEdits(publish, (line) => lines.push(line));
  });
  afterEach(() => {
    edits.close();
    vi.useRealTimers();
  });

  it("publishes once, when edits have come to rest", async () => {
    for (let edit = 0; edit < 5; edit++) {
      edits.edited();
      await vi.advanceTimersByTimeAsync(200);
    }
    expect(published).toBe(0);
    await vi.advanceTimersByTimeAsync(100);
    expect([published, lines]).toEqual([1, ["stable serves b now", "Warning: odd"]]);
  });

  it.each<[string, () => Promise<PublisherResult>, string | RegExp]>([
    [
      "is refused",
      async () => ({ ok: false, error: { code: "template-invalid", message: "Cannot compile x" } }),
      "Not published: Cannot compile x",
    ],
    ["fails", () => Promise.reject(new TypeError("oops")), /^This is a bug in Outrigger: TypeError: oops/],
  ])("says so when publishing %s, and publishes again after the next edit", async (_what, how, line) => {
    answer = how;
    edits.edited();
    await vi.advanceTimersByTimeAsync(300);
    expect(lines).toEqual([expect.stringMatching(line)]);
    answer = async () => DONE;
    edits.edited();
    await vi.advanceTimersByTimeAsync(300);
    expect(lines).toHaveLength(3);
  });

  it("says nothing when nothing has changed, and does nothing once it is closed", async () => {
    answer = async () => ({ ...DONE, changed: false, warnings: [] });
    edits.edited();
    await vi.advanceTimersByTimeAsync(300);
    edits.edited();
    edits.close();
    edits.edited();
    await vi.advanceTimersByTimeAsync(1000);
    expect([published, lines]).toEqual([1, []]);
  });
});
