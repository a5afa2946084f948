import { describe, expect, it } from "vitest";
import { ONCE, requestOf } from "./recent-requests.ts";

describe("requestOf()", () => {
  const at = "2026-01-02T03:04:05.000Z";

  it("remembers a request with an ID of its own, and none that cannot arrive again", () => {
    expect(requestOf({ id: "request-1", number: 3, at })).toMatchObject([{ number: 3 }]);
    expect(requestOf({ id: `${ONCE}1`, number: 3, at })).toEqual([]);
  });
});
