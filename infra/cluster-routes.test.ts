import { describe, expect, it } from "vitest";
import { addClusterRoutes } from "./cluster-routes.ts";
import { resourceOf, type Template } from "./template.ts";

const parameters = { clusters: "shop-eu,shop_us", clusterRate: "20", clusterBurst: "10" };
const http = { Resources: { ApiStage: { Type: "AWS::ApiGatewayV2::Stage", Properties: { StageName: "$default" } } } };
const rest = {
  Resources: {
    InjectMethod: {
      Type: "AWS::ApiGateway::Method",
      Properties: { ResourceId: { Ref: "InjectPath" }, HttpMethod: "POST" },
    },
    ApiDeployment: { Type: "AWS::ApiGateway::Deployment", DependsOn: ["InjectMethod"] },
    ApiStage: { Type: "AWS::ApiGateway::Stage", Properties: { MethodSettings: [{ ResourcePath: "/*" }] } },
  },
};

function ofType(template: Template, type: string) {
  return Object.entries(template.Resources).filter(([, resource]) => resource.Type === type);
}

describe("addClusterRoutes()", () => {
  it("changes nothing when no cluster is named", () => {
    expect(addClusterRoutes(http, { api: "http", ...parameters, clusters: "" })).toBe(http);
  });

  it("gives each cluster of an HTTP API routes with a throttle, which the stage waits for", () => {
    const template = addClusterRoutes(http, { api: "http", ...parameters });
    const routes = ofType(template, "AWS::ApiGatewayV2::Route");
    const keys = routes.map(([, { Properties }]) => Properties?.["RouteKey"]);
    expect(keys.slice(0, 4)).toEqual([
      "POST /t/{token}/inject/cluster/shop-eu",
      "POST /t/{token}/inject/cluster/shop-eu/{proxy+}",
      "POST /t/{token}/r/{revision}/inject/cluster/shop-eu",
      "POST /t/{token}/r/{revision}/inject/cluster/shop-eu/{proxy+}",
    ]);
    const ApiStage = resourceOf(template.Resources, "ApiStage");
    expect(ApiStage.DependsOn).toEqual(routes.map(([id]) => id));
    const throttle = { ThrottlingRateLimit: 20, ThrottlingBurstLimit: 10 };
    expect(ApiStage.Properties?.["RouteSettings"]).toEqual(Object.fromEntries(keys.map((key) => [key, throttle])));
  });

  it("keeps a cluster's ids when another one goes", () => {
    const both = addClusterRoutes(http, { api: "http", ...parameters });
    const one = addClusterRoutes(http, { api: "http", ...parameters, clusters: "shop_us" });
    const ids = ofType(one, "AWS::ApiGatewayV2::Route").map(([id]) => id);
    expect(Object.keys(both.Resources)).toEqual(expect.arrayContaining(ids));
  });

  it("gives each cluster of a REST API paths with a throttle, and a catch-all route for all other paths", () => {
    const template = addClusterRoutes(rest, { api: "rest", ...parameters });
    const { MethodSettings } = resourceOf(template.Resources, "ApiStage").Properties ?? {};
    expect((MethodSettings as readonly unknown[]).slice(0, 3)).toEqual([
      { ResourcePath: "/*" },
      {
        HttpMethod: "POST",
        ResourcePath: "/~1t~1{token}~1inject~1cluster~1shop-eu",
        ThrottlingRateLimit: 20,
        ThrottlingBurstLimit: 10,
      },
      {
        HttpMethod: "POST",
        ResourcePath: "/~1t~1{token}~1inject~1cluster~1shop-eu~1{proxy+}",
        ThrottlingRateLimit: 20,
        ThrottlingBurstLimit: 10,
      },
    ]);
    const methods = ofType(template, "AWS::ApiGateway::Method");
    expect(methods).toHaveLength(1 + 2 * (1 + 2 * 2));
    expect(resourceOf(template.Resources, "ApiDeployment").DependsOn).toEqual(methods.map(([id]) => id));
    const others = ofType(template, "AWS::ApiGateway::Resource").filter(
      ([, { Properties }]) => Properties?.["PathPart"] === "{proxy+}",
    );
    expect(others).toHaveLength(2 * 3);
  });
});
