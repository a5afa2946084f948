import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { isLost } from "../model/connection.ts";
import type { Question } from "../wire.ts";

const QUESTION = { id: "1", channel: "stable", isPublished: true, compare: null } as Question;

// Nothing else answers: refreshing says so, and changes no question.
vi.stubGlobal("PLAYGROUND", "null");
vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
afterAll(() => {
  vi.unstubAllGlobals();
  isLost.value = false;
});

describe("carryOut()", () => {
  beforeEach(() => void vi.restoreAllMocks());

  const failing = async (error: Error) => {
    const { planned, releasesApi } = await import("../model/releases.ts");
    const { carryOut } = await import("./moving.ts");
    vi.spyOn(releasesApi, "confirm").mockRejectedValue(error);
    planned.value = { move: { action: "rollback", channel: "stable" }, question: QUESTION };
    await carryOut(QUESTION, "why");
    return planned.value;
  };

  it.each([
    ["store-denied", "Cannot write /outrigger/prod/channels/stable: AccessDeniedException"],
    ["channel-pinned", "stable is pinned"],
    ["store-unavailable", "Parameter Store does not answer"],
  ])("says what failed where it is %s, and lets it be tried again", async (code, words) => {
    const { ApiError } = await import("../model/failure.ts");
    const shown = await failing(new ApiError({ code, words }));
    expect(shown).toEqual({
      move: { action: "rollback", channel: "stable" },
      question: QUESTION,
      failure: { code, words },
    });
  });

  it("says so where the studio has ended", async () => {
    const shown = await failing(new TypeError("Failed to fetch"));
    expect(shown?.failure?.code).toBe("unanswered");
    expect(shown).not.toHaveProperty("isMoved");
  });

  it.each(["channel-moved", "tree-changed"])("asks to review it where something has moved: %s", async (code) => {
    const { ApiError } = await import("../model/failure.ts");
    expect(await failing(new ApiError({ code, words: "" }))).toMatchObject({ isMoved: true, failure: { code } });
  });
});
