import { describe, expect, it } from "vitest";
import { alarmNames, rolloutPlan } from "./rollout-plan.ts";

const plan = (options: Parameters<typeof rolloutPlan>[0]) => rolloutPlan(options, "dev", "Cannot promote");

describe("rolloutPlan()", () => {
  it.each<[Parameters<typeof rolloutPlan>[0], object]>([
    [{}, {}],
    [{ share: [5] }, { share: 5 }],
    [{ share: [0] }, { share: 0 }],
    [{ share: [100], abortOn: [] }, { share: 100 }],
    [{ share: [5, 50] }, { share: 5, rollout: { next: [50], alarms: [] } }],
    [
      { share: [5], bake: 60 },
      { share: 5, rollout: { next: [100], bake: 60, alarms: [] } },
    ],
    [
      { share: [5, 25], bake: 60 },
      { share: 5, rollout: { next: [25], bake: 60, alarms: [] } },
    ],
    [
      { share: [5], abortOn: ["errors", "mine"] },
      { share: 5, rollout: { next: [], alarms: ["outrigger-dev-errors", "mine"] } },
    ],
    [
      { share: [1], restart: true },
      { share: 1, rollout: { next: [], bake: 600, alarms: [], restart: true } },
    ],
    [
      { share: [99, 100], restart: true, bake: 60 },
      { share: 99, rollout: { next: [100], bake: 60, alarms: [], restart: true } },
    ],
  ])("of %j is %j", (options, expected) => {
    expect(plan(options)).toEqual(expected);
  });

  it.each<Parameters<typeof rolloutPlan>[0]>([
    { bake: 60 },
    { abortOn: ["errors"] },
    { restart: true },
    { share: [0, 50] },
    { share: [0], bake: 60 },
    { share: [100], bake: 60 },
  ])("refuses %j, which has no share to begin with", (options) => {
    expect(() => plan(options)).toThrow(
      "Cannot promote: --bake, --abort-on and --restart need a share of 1 to 99 percent to begin with (--share 5)",
    );
  });
});

it("alarmNames() takes the short names of the deployment's own alarms, and others as they are", () => {
  const own = ["errors", "latency", "throttles", "canary", "image-invalid", "gateway-failed"];
  expect(alarmNames(own, "prod")).toEqual(own.map((name) => `outrigger-prod-${name}`));
  expect(alarmNames(["outrigger-prod-errors", "Errors"], "prod")).toEqual(["outrigger-prod-errors", "Errors"]);
});
