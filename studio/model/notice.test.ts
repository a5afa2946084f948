import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { closeNotice, notice, show } from "./notice.ts";

describe("a message below the page", () => {
  beforeEach(() => {
    vi.stubGlobal("window", globalThis);
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it.each([
    ["a sentence of the page's own goes by itself", { text: "Saved." }, ""],
    ["a click that is offered stays", { text: "Renamed.", undo: () => {} }, "Renamed."],
    [
      "the next step stays",
      { text: "Done.", next: { action: "promote", from: "canary", to: "stable", share: 5 } as const },
      "Done.",
    ],
    ["the tool's own words stay", { text: "Failed:", original: "not allowed to call ssm:PutParameter" }, "Failed:"],
  ])("%s", (_, shown, left) => {
    show(shown);
    vi.advanceTimersByTime(60_000);
    expect(notice.value.text).toBe(left);
    closeNotice();
    expect(notice.value.text).toBe("");
  });

  it("is not taken away by the time of the message before it", () => {
    show({ text: "Saved." });
    vi.advanceTimersByTime(7000);
    show({ text: "Failed:", original: "throttled" });
    vi.advanceTimersByTime(7000);
    expect(notice.value.text).toBe("Failed:");
  });
});
