import { describe, expect, it } from "vitest";
import { resetRouteSettings } from "./around-stack.ts";
import type { AwsRequest } from "./aws-request.ts";

const template = {
  Resources: {
    HttpApiStage: { Type: "AWS::ApiGatewayV2::Stage", Properties: { RouteSettings: { "POST /kept": {} } } },
  },
};

/** An API Gateway that says what is deployed, and remembers what is deleted. */
function gateway(settings: object, physicalId: string | undefined) {
  const deleted: unknown[] = [];
  const request: AwsRequest = async (operation, input) => {
    if (operation === "cloudformation:ListStackResources") {
      if (physicalId === undefined) throw new Error("Stack 'outrigger-dev' does not exist");
      const others = [{ LogicalResourceId: "RestApi", PhysicalResourceId: "rest1" }];
      return { StackResourceSummaries: [...others, { LogicalResourceId: "HttpApi", PhysicalResourceId: physicalId }] };
    }
    if (operation === "apigateway:GetStage") return { RouteSettings: settings };
    deleted.push([operation, input]);
    return {};
  };
  return { request, deleted };
}

describe("resetRouteSettings()", () => {
  it("resets the settings of a route that is removed, and keeps the others", async () => {
    const { request, deleted } = gateway({ "POST /kept": {}, "POST /gone": {} }, "api1");
    await resetRouteSettings(request, "outrigger-dev", template);
    const input = { ApiId: "api1", StageName: "$default", RouteKey: "POST /gone" };
    expect(deleted).toEqual([["apigateway:DeleteRouteSettings", input]]);
  });

  it("resets all of them when no cluster has a throttle any more", async () => {
    const { request, deleted } = gateway({ "POST /a": {}, "POST /b": {} }, "api1");
    await resetRouteSettings(request, "outrigger-dev", { Resources: {} });
    expect(deleted).toHaveLength(2);
  });

  it.each([undefined, ""])("does nothing where no HTTP API is deployed (%j)", async (physicalId) => {
    const { request, deleted } = gateway({ "POST /gone": {} }, physicalId);
    await resetRouteSettings(request, "outrigger-dev", template);
    expect(deleted).toEqual([]);
  });

  it("passes any other failure on", async () => {
    const request: AwsRequest = async () => {
      throw new Error("AccessDenied");
    };
    await expect(resetRouteSettings(request, "outrigger-dev", template)).rejects.toThrow("AccessDenied");
  });
});
