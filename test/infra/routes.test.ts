// Which route of the gateway a URL reaches, by API Gateway's rules: the throttle is per route, so the canary must spend
// the bucket of the clusters.
import { createServer } from "node:http";
import { webhookUrl } from "@outrigger/webhook";
import { describe, expect, it } from "vitest";
import { createCanary } from "../../functions/canary/canary.ts";
import { addClusterRoutes } from "../../infra/cluster-routes.ts";
import { checkSettings } from "../../infra/settings/check.ts";
import { readSettings } from "../../infra/settings/read.ts";
import { decodeTemplate, renameIds } from "../../infra/template.ts";
import { closing, listening } from "../support/loopback.ts";
import { goldenTemplate, type Template } from "./support/template.ts";
import { VARIANTS } from "./support/variants.ts";

/** Paths of the routes: of an HTTP API as they are, of a REST API put together from their parts. */
function pathsOf({ Resources }: Template): readonly string[] {
  const referred = (value: unknown) => (value as { readonly Ref?: string } | undefined)?.Ref ?? "";
  const pathOf = (id: string): string => {
    const { Type, Properties } = Resources[id] ?? {};
    return Type === "AWS::ApiGateway::Resource"
      ? `${pathOf(referred(Properties?.["ParentId"]))}/${String(Properties?.["PathPart"])}`
      : "";
  };
  return Object.values(Resources).flatMap(({ Type, Properties = {} }) => {
    if (Type === "AWS::ApiGatewayV2::Route") return [String(Properties["RouteKey"]).replace("POST ", "")];
    return Type === "AWS::ApiGateway::Method" ? [pathOf(referred(Properties["ResourceId"]))] : [];
  });
}

/** The most specific of the routes that match: literal parts before parameters, parameters before `{proxy+}`. */
function routeOf(paths: readonly string[], path: string): string | undefined {
  const matches = paths.filter((route) => {
    const pattern = route
      .split("/")
      .map((part) => (part === "{proxy+}" ? ".+" : part.startsWith("{") ? "[^/]+" : part));
    return new RegExp(`^${pattern.join("/")}$`).test(path);
  });
  const rank = (route: string) =>
    route
      .split("/")
      .map((part) => (part === "{proxy+}" ? "2" : part.startsWith("{") ? "1" : "0"))
      .join("");
  return matches.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))[0];
}

async function canaryPath(): Promise<string> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(new URL(request.url ?? "", "http://host").pathname);
    response.end();
  });
  const url = `http://127.0.0.1:${await listening(server)}`;
  await createCanary({ url, stage: "dev", now: Date.now, write: () => {}, readToken: async () => "t".repeat(43) })();
  await closing(server);
  return paths[0] ?? "";
}

describe.each(VARIANTS.map(({ name }) => name))("routes of %s", (variant) => {
  const paths = pathsOf(goldenTemplate(variant));
  const urlOf = (clusterId: string) =>
    new URL(webhookUrl({ url: "https://host", token: "t".repeat(43), revision: "default", clusterId })).pathname;

  it("take the canary and clusters without a throttle of their own to the same bucket", async () => {
    const route = routeOf(paths, await canaryPath());
    expect(route).toMatch(/\{proxy\+\}$/);
    expect(routeOf(paths, urlOf("another-cluster"))).toBe(route);
  });

  it("take a cluster with a throttle to a bucket that only its ID reaches", () => {
    const { parameters = [] } = VARIANTS.find(({ name }) => name === variant) ?? {};
    const named = parameters.find((parameter) => parameter.startsWith("clusters="))?.slice("clusters=".length) ?? "";
    for (const id of named.split(",").filter((text) => text !== "")) {
      expect(routeOf(paths, urlOf(id))).toBe(`/t/{token}/inject/cluster/${id}`);
      expect(routeOf(paths, `${urlOf(id)}/net/n1`)).toBe(`/t/{token}/inject/cluster/${id}/{proxy+}`);
    }
  });
});

describe("the most clusters with a throttle that settings allow", () => {
  const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`).join(",");
  const isAllowed = (api: string, count: number) => {
    const params = [`api=${api}`, `clusters=${idsOf(count)}`];
    return checkSettings(readSettings({ stage: "dev", params, readText: () => undefined })).length === 0;
  };

  it.each([
    ["http", "domain"],
    ["rest", "provisioned"],
  ])("of %s fit into a stack with everything else, and fifteen more resources", (api, variant) => {
    const most = Array.from({ length: 200 }, (_, index) => index).findLast((count) => isAllowed(api, count)) ?? 0;
    expect(most).toBeGreaterThanOrEqual(48);
    const { Resources } = goldenTemplate(variant);
    const own = Object.keys(Resources).filter((id) => /^(Http|Rest)(?!.*Cluster)/.test(id));
    const ids = own.map(
      (id) => [id, id.replace(/^(Http|Rest)/, "").replace(/^ApiDeployment.*/, "ApiDeployment")] as const,
    );
    const plain = Object.entries(Resources).filter(([id]) => !/^HttpCluster/.test(id));
    const template = renameIds(decodeTemplate({ Resources: Object.fromEntries(plain) }), new Map(ids));
    const settings = { api, clusters: idsOf(most), clusterRate: "1", clusterBurst: "1" };
    const count = Object.keys(addClusterRoutes(template, settings).Resources).length;
    expect(count).toBeGreaterThan(300);
    expect(count).toBeLessThanOrEqual(500 - 15);
  });
});
