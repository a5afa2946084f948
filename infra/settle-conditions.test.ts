import { describe, expect, it } from "vitest";
import { settleConditions } from "./settle-conditions.ts";

const Conditions = {
  Never: { "Fn::Equals": ["a", "b"] },
  Always: { "Fn::Not": [{ Condition: "Never" }] },
  Zero: { "Fn::Equals": [0, "0"] },
  Both: { "Fn::And": [{ Condition: "Always" }, { Condition: "Zero" }] },
  Either: { "Fn::Or": [{ Condition: "Never" }, { Condition: "Never" }] },
};

describe("settleConditions()", () => {
  it("leaves resources and outputs out that are not wanted, and what says so", () => {
    const template = {
      Conditions,
      Resources: { A: { Condition: "Both", Type: "T" }, B: { Condition: "Either", Type: "T" }, C: { Type: "T" } },
      Outputs: { A: { Condition: "Always", Value: 1 }, B: { Condition: "Never", Value: 2 } },
    };
    expect(settleConditions(template)).toEqual({
      Resources: { A: { Type: "T" }, C: { Type: "T" } },
      Outputs: { A: { Value: 1 } },
    });
  });

  it("replaces Fn::If with what it comes to, and leaves nothing out of lists and mappings", () => {
    const nothing = { Ref: "AWS::NoValue" };
    const Properties = {
      list: [{ "Fn::If": ["Never", "x", nothing] }, { "Fn::If": ["Always", { "Fn::If": ["Zero", "y", "z"] }, "x"] }],
      gone: { "Fn::If": ["Always", nothing, 1] },
      kept: null,
    };
    const { Resources } = settleConditions({ Conditions, Resources: { A: { Type: "T", Properties } } });
    expect(Resources).toEqual({ A: { Type: "T", Properties: { list: ["y"], kept: null } } });
  });

  it("waits for nothing that is left out", () => {
    const B = { Type: "T", Condition: "Never" };
    const Resources = { A: { Type: "T", DependsOn: ["B", "C"] }, B, C: { Type: "T", DependsOn: "B" } };
    expect(settleConditions({ Conditions, Resources }).Resources).toEqual({
      A: { Type: "T", DependsOn: ["C"] },
      C: { Type: "T" },
    });
  });

  it.each([
    [{ Resources: { A: { Type: "T", Condition: "Nope" } } }, 'There is no condition "Nope"'],
    [
      { Conditions: { C: { "Fn::Sub": "x" } }, Resources: { A: { Type: "T", Condition: "C" } } },
      "Cannot settle a condition with Fn::Sub",
    ],
  ])("refuses what it cannot settle", (template, message) => {
    expect(() => settleConditions(template)).toThrow(message);
  });
});
