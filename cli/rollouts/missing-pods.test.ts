import { describe, expect, it } from "vitest";
import { missedPods, oldestMissed } from "./missing-pods.ts";

const MINUTE = 60_000;
const START = Date.parse("2026-11-23T10:00:00Z");
const pod = (minute: number, isMissed = true) => ({
  namespace: "shop",
  name: "web",
  owner: "",
  revision: "default",
  reason: "",
  remediation: "",
  created: new Date(START + minute * MINUTE).toISOString(),
  isMissed,
});
const lost = (minute: number, calls: number) => ({
  since: START + minute * MINUTE,
  until: START + (minute + 1) * MINUTE,
  calls,
});

describe("missedPods()", () => {
  it("counts pods that were made when calls were lost, and the calls of those minutes", () => {
    const pods = [...Array(3).fill(pod(10.5)), pod(11.2), pod(30), pod(10.5, false)];
    expect(missedPods(pods, [lost(10, 3900), lost(11, 1), lost(50, 7)])).toEqual({
      pods: 4,
      calls: 3901,
      since: "2026-11-23T10:10:00.000Z",
      until: "2026-11-23T10:12:00.000Z",
    });
  });

  it("is nothing when no call was lost then, or every pod has another reason", () => {
    expect(missedPods([pod(30)], [lost(10, 3900)])).toBeUndefined();
    expect(missedPods([pod(10, false)], [lost(10, 3900)])).toBeUndefined();
  });
});

describe("oldestMissed()", () => {
  it("is shortly before the oldest pod that a webhook let pass", () => {
    expect(oldestMissed([pod(20), pod(10), pod(1, false)])).toBe(START + 9 * MINUTE);
    expect(oldestMissed([pod(1, false)])).toBeUndefined();
  });
});
