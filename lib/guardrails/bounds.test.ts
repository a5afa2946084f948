import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { exceeded } from "./bounds.ts";
import { parseGuardrails } from "./parse-guardrails.ts";

const author = { spec: { containers: [{ name: "app", resources: { limits: { cpu: "8" } } }] } };
const container = (name: string, resources?: JsonObject): JsonObject => ({ name, ...(resources && { resources }) });

/** What the containers that an injection adds exceed. */
function exceededBy(setting: string, containers: readonly JsonObject[], initContainers: readonly JsonObject[] = []) {
  const [app] = author.spec.containers;
  const injected = { spec: { initContainers, containers: [app as JsonObject, ...containers] } };
  return exceeded(parseGuardrails(setting), author, injected);
}

describe("a bound of the added containers", () => {
  it("is exceeded with the first that is beyond it, in all", () => {
    const two = container("two", { limits: { cpu: "1500m" } });
    expect(exceededBy("baseline,cpu:2", [two])).toEqual([]);
    expect(exceededBy("baseline,cpu:2", [two, container("more", { limits: { cpu: "0.5" } })])).toEqual([]);
    expect(exceededBy("baseline,cpu:2", [two, container("more", { limits: { cpu: "501m" } }), two])).toEqual([
      { kind: "cpu", value: "more than 2 cpu in all", at: ["spec", "containers", 2, "resources"] },
    ]);
  });

  it("counts containers that start before the others", () => {
    const large = container("init", { limits: { memory: "2Gi" } });
    expect(exceededBy("baseline,memory:1Gi", [], [large])).toEqual([
      { kind: "memory", value: "more than 1Gi memory in all", at: ["spec", "initContainers", 0, "resources"] },
    ]);
    expect(exceededBy("baseline,memory:3Gi", [large], [large])).toMatchObject([
      { at: ["spec", "containers", 1, "resources"] },
    ]);
  });

  it.each([
    ["the limit", { limits: { cpu: 3 }, requests: { cpu: 1 } }, 1],
    ["the request where there is no limit", { requests: { cpu: "3" } }, 1],
    ["no request where there is a limit", { limits: { cpu: "1" }, requests: { cpu: "3" } }, 0],
    ["nothing where neither is there", {}, 0],
    ["nothing where it is no amount", { limits: { cpu: "much" } }, 0],
  ])("counts %s", (_what, resources, count) => {
    expect(exceededBy("baseline,cpu:2", [container("own", resources)])).toHaveLength(count);
  });

  it("is of one resource each, and none where the setting names none", () => {
    const own = container("own", { limits: { cpu: "3", memory: "3Gi", "ephemeral-storage": "3Gi" } });
    expect(exceededBy("baseline", [own])).toEqual([]);
    expect(exceededBy("baseline,cpu:2,memory:4Gi,ephemeral-storage:2Gi", [own]).map(({ kind }) => kind)).toEqual([
      "cpu",
      "ephemeral-storage",
    ]);
  });
});
