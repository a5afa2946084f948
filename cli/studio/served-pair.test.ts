import type { ChannelRecord } from "@outrigger/publisher";
import { describe, expect, it } from "vitest";
import type { ActionRequest } from "../releases/action-request.ts";
import { comparison, servedBy } from "./served-pair.ts";

const [OWN, NEXT, OTHER] = ["000000000001", "000000000002", "000000000003"] as const;
const record = (share?: string) =>
  ({ release: OWN, history: [], ...(share && { share: { release: share, percent: 5 } }) }) as unknown as ChannelRecord;

describe("servedBy()", () => {
  const of = (request: object, share?: string) => {
    const { before, after } = servedBy(request as ActionRequest, record(share));
    return [before, after];
  };

  it("goes from what the channel serves to the release that is named, or stays", () => {
    for (const action of ["promote", "pin"]) {
      expect(of({ action, release: NEXT })).toEqual([OWN, NEXT]);
      expect(of({ action })).toEqual([OWN, OWN]);
    }
    expect(of({ action: "unpin" }, NEXT)).toEqual([OWN, OWN]);
  });

  it("takes back from the share what a rollback takes back", () => {
    expect(of({ action: "rollback", release: OTHER })).toEqual([OWN, OTHER]);
    expect(of({ action: "rollback" }, NEXT)).toEqual([NEXT, OWN]);
  });

  it("goes on to the share's release, or back from it", () => {
    const seen = { release: NEXT };
    expect(of({ action: "step-rollout", direction: "next", seen })).toEqual([OWN, NEXT]);
    expect(of({ action: "step-rollout", direction: "back", seen })).toEqual([NEXT, OWN]);
    expect(of({ action: "step-rollout", direction: "next" })).toEqual([OWN, OWN]);
  });

  it("knows of no release where there is no channel", () => {
    expect(servedBy({ action: "promote", from: "a", to: "b" } as ActionRequest, undefined)).toEqual({
      before: null,
      after: null,
    });
  });
});

describe("comparison()", () => {
  const named = (release: string) => expect.objectContaining({ release });

  it("names both releases, and compares them where they differ", () => {
    expect(comparison({ before: OWN, after: NEXT }, {})).toEqual({
      before: named(OWN),
      after: named(NEXT),
      compare: { before: OWN, after: NEXT },
    });
    expect(comparison({ before: OWN, after: OWN }, {}).compare).toBeNull();
  });

  it("compares by the name of a release that is not stored yet, and with nothing where nothing was served", () => {
    expect(comparison({ before: OWN, after: null, name: "edits" }, {})).toEqual({
      before: named(OWN),
      after: null,
      compare: { before: OWN, after: "edits" },
    });
    expect(comparison({ before: OWN, after: null }, {}).compare).toBeNull();
    expect(comparison({ before: null, after: NEXT }, {})).toMatchObject({ before: null, compare: null });
  });
});
