import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { hasAmounts, newAmounts, restartsFor } from "./amounts.ts";

const container = (requests: JsonObject, limits: JsonObject = {}): JsonObject => ({
  name: "agent",
  resources: { requests, limits },
});

describe("newAmounts()", () => {
  it.each<[string, JsonObject, JsonObject, JsonObject, object]>([
    [
      "what differs, and nothing else",
      container({ cpu: "100m", memory: "64Mi" }),
      container({ cpu: "100m", memory: "64Mi" }),
      container({ cpu: "200m", memory: "64Mi" }),
      { requests: { cpu: "200m" } },
    ],
    [
      "the request that an API server makes of a limit",
      container({ memory: "64Mi" }, { memory: "64Mi" }),
      container({}, { memory: "64Mi" }),
      container({}, { memory: "128Mi" }),
      { requests: { memory: "128Mi" }, limits: { memory: "128Mi" } },
    ],
    [
      "a limit where there was none",
      container({ cpu: "1" }),
      container({ cpu: "1" }),
      container({ cpu: "1" }, { cpu: "2" }),
      { limits: { cpu: "2" } },
    ],
    [
      "nothing, where another text has the same amount",
      container({ cpu: "500m" }),
      container({ cpu: "0.5" }),
      container({ cpu: "500m" }),
      {},
    ],
    [
      "what is written already, as of a command that was interrupted",
      container({ cpu: "2" }),
      container({ cpu: "1" }),
      container({ cpu: "2" }),
      { requests: { cpu: "2" } },
    ],
    [
      "why: others have changed it",
      container({ cpu: "3" }),
      container({ cpu: "1" }),
      container({ cpu: "2" }),
      { why: "others have changed the resources of agent" },
    ],
    [
      "why: it is taken away",
      container({ cpu: "1" }),
      container({ cpu: "1" }),
      container({}),
      { why: "cpu requests of agent are taken away" },
    ],
  ])("is %s", (_what, running, made, next, expected) => {
    expect(newAmounts(running, made, next)).toEqual(expected);
  });
});

describe("hasAmounts()", () => {
  it("compares amounts, not texts", () => {
    const amounts = { requests: { cpu: "0.5" }, limits: { memory: "1024Mi" } };
    expect(hasAmounts(container({ cpu: "500m" }, { memory: "1Gi" }), amounts)).toBe(true);
    expect(hasAmounts(container({ cpu: "500m" }, { memory: "2Gi" }), amounts)).toBe(false);
    expect(hasAmounts({}, amounts)).toBe(false);
  });
});

describe("restartsFor()", () => {
  it("is true where the container's own policy is to restart for one of them", () => {
    const resizePolicy = [
      { resourceName: "cpu", restartPolicy: "NotRequired" },
      { resourceName: "memory", restartPolicy: "RestartContainer" },
    ];
    expect(restartsFor({ resizePolicy }, { requests: { cpu: "1" } })).toBe(false);
    expect(restartsFor({ resizePolicy }, { limits: { memory: "1Gi" } })).toBe(true);
    expect(restartsFor({}, { limits: { memory: "1Gi" } })).toBe(false);
  });
});
