import { describe, expect, it } from "vitest";
import { leaveUnreserved } from "./leave-unreserved.ts";

function templateOf(reserved: number) {
  const functionOf = (ReservedConcurrentExecutions: number) => ({
    Type: "AWS::Lambda::Function",
    Properties: { Handler: "index.handler", ReservedConcurrentExecutions },
  });
  return {
    Resources: {
      InjectLambdaFunction: functionOf(reserved),
      PublishLambdaFunction: functionOf(1),
      Other: { Type: "T", Properties: { ReservedConcurrentExecutions: 1 } },
    },
  };
}

describe("leaveUnreserved()", () => {
  it("leaves every reservation out when none is wanted", () => {
    const plain = { Type: "AWS::Lambda::Function", Properties: { Handler: "index.handler" } };
    expect(leaveUnreserved(templateOf(0))).toEqual({
      Resources: { InjectLambdaFunction: plain, PublishLambdaFunction: plain, Other: templateOf(0).Resources.Other },
    });
  });

  it("leaves a template as it is when some is", () => {
    expect(leaveUnreserved(templateOf(100))).toEqual(templateOf(100));
  });
});
