import type { PublisherResult } from "@outrigger/publisher";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { publishEdits } from "./publish-edits.ts";

describe("publishEdits()", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const done = (changed: boolean, warnings: readonly string[] = []) =>
    ({ ok: true, changed, message: "stable serves it", warnings }) as unknown as PublisherResult;
  /** What is reported after edits, with these milliseconds after each. */
  async function reported(publish: () => Promise<PublisherResult>, pauses: readonly number[], closesAfter?: number) {
    const lines: string[] = [];
    const causes: string[] = [];
    const edits = publishEdits(
      ({ by }) => {
        causes.push(by);
        return publish();
      },
      (line) => lines.push(line),
    );
    for (const pause of pauses) {
      edits.edited();
      await vi.advanceTimersByTimeAsync(pause);
    }
    if (closesAfter !== undefined) {
      edits.close();
      edits.edited();
      await vi.advanceTimersByTimeAsync(closesAfter);
    }
    return { lines, times: causes.length, causes };
  }

  it("publishes once for edits that follow each other, and says who did it", async () => {
    const { lines, causes } = await reported(async () => done(true), [100, 200, 1000]);
    expect([lines, causes]).toEqual([["stable serves it"], ["an edit in the fake Parameter Store"]]);
    expect((await reported(async () => done(true), [1000, 1000])).times).toBe(2);
  });

  it("reports warnings with what was published, and alone where nothing changed", async () => {
    expect((await reported(async () => done(true, ["a", "b"]), [1000])).lines).toEqual([
      "stable serves it",
      "Warning: a",
      "Warning: b",
    ]);
    expect((await reported(async () => done(false, ["a"]), [1000])).lines).toEqual(["a"]);
    expect((await reported(async () => done(false), [1000])).lines).toEqual([]);
  });

  it("reports what was refused, and what failed", async () => {
    const refused = {
      ok: false,
      error: { code: "tree-invalid", message: "it is wrong" },
    } as unknown as PublisherResult;
    expect((await reported(async () => refused, [1000])).lines).toEqual(["Not published: it is wrong"]);
    const failing = () => Promise.reject(new Error("broken"));
    expect((await reported(failing, [1000])).lines).toEqual([
      expect.stringMatching(/^This is a bug in Outrigger: Error: broken/),
    ]);
    // The next edit is published all the same.
    expect(await reported(failing, [1000, 1000])).toMatchObject({ times: 2 });
  });

  it("publishes nothing more once it is closed, and reports nothing of what was under way", async () => {
    expect(await reported(async () => done(true), [100], 1000)).toMatchObject({ lines: [], times: 0 });
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return done(true);
    };
    expect(await reported(slow, [400], 1000)).toMatchObject({ lines: [], times: 1 });
    const failing = async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      throw new Error("broken");
    };
    expect(await reported(failing, [400], 1000)).toMatchObject({ lines: [], times: 1 });
  });
});
