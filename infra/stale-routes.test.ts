import { describe, expect, it } from "vitest";
import type { AwsRequest } from "./aws-request.ts";
import { resetRouteSettings, restoreRouteSettings, staleRoutes } from "./stale-routes.ts";

const template = {
  Resources: {
    HttpApiStage: { Type: "AWS::ApiGatewayV2::Stage", Properties: { RouteSettings: { "POST /kept": {} } } },
  },
};

/** An API Gateway that says what is deployed, and remembers what it is asked to change. */
function gateway(settings: object, physicalId: string | undefined) {
  const changes: unknown[] = [];
  const request: AwsRequest = async (operation, input) => {
    if (operation === "cloudformation:ListStackResources") {
      if (physicalId === undefined) throw new Error("Stack 'outrigger-dev' does not exist");
      const others = [{ LogicalResourceId: "RestApi", PhysicalResourceId: "rest1" }];
      return { StackResourceSummaries: [...others, { LogicalResourceId: "HttpApi", PhysicalResourceId: physicalId }] };
    }
    if (operation === "apigateway:GetStage") return { RouteSettings: settings };
    changes.push([operation, input]);
    return {};
  };
  return { request, changes };
}

const stage = { ApiId: "api1", StageName: "$default" };

describe("staleRoutes()", () => {
  it("are those that are removed; they are reset, and restored with all others as they were", async () => {
    const settings = { "POST /kept": { ThrottlingRateLimit: 5 }, "POST /gone": { ThrottlingRateLimit: 9 } };
    const { request, changes } = gateway(settings, "api1");
    const stale = await staleRoutes(request, "outrigger-dev", template);
    if (stale === undefined) throw new Error("none is found");
    await resetRouteSettings(request, stale);
    await restoreRouteSettings(request, stale);
    expect(changes).toEqual([
      ["apigateway:DeleteRouteSettings", { ...stage, RouteKey: "POST /gone" }],
      ["apigateway:UpdateStage", { ...stage, RouteSettings: JSON.stringify(settings) }],
    ]);
  });

  it("are all when no cluster has a throttle any more, and none when nothing is removed", async () => {
    const { request } = gateway({ "POST /kept": {}, "POST /b": {} }, "api1");
    const stale = await staleRoutes(request, "outrigger-dev", { Resources: {} });
    expect(stale?.keys).toEqual(["POST /kept", "POST /b"]);
    expect(await staleRoutes(gateway({ "POST /kept": {} }, "api1").request, "outrigger-dev", template)).toBeUndefined();
  });

  it.each([undefined, ""])("are none where no HTTP API is deployed (%j)", async (physicalId) => {
    const { request } = gateway({ "POST /gone": {} }, physicalId);
    expect(await staleRoutes(request, "outrigger-dev", template)).toBeUndefined();
  });

  it("passes any other failure on", async () => {
    const request: AwsRequest = async () => {
      throw new Error("AccessDenied");
    };
    await expect(staleRoutes(request, "outrigger-dev", template)).rejects.toThrow("AccessDenied");
  });
});
