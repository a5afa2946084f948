// The throttles of single clusters: routes that contain a cluster's ID, so that a crash loop in one cluster uses up
// its own share of the function's concurrency and not everyone's. Pure: a template in, a template out.
import { createHash } from "node:crypto";
import { listOf } from "@outrigger/base";
import type { SettingValues } from "./settings/schema.ts";
import { type Resource, type Resources, resourceOf, type Template, withProperties } from "./template.ts";

export type ClusterThrottles = Pick<SettingValues, "api" | "clusters" | "clusterRate" | "clusterBurst">;

type Throttle = Readonly<Record<"ThrottlingRateLimit" | "ThrottlingBurstLimit", number>>;

/**
 * The template with routes and throttles for the IDs in `clusters`. A cluster's URL contains `/inject/cluster/<id>`
 * (lib/webhook/webhook-url.ts); without a throttle of its own it shares that of all others.
 */
export function addClusterRoutes(
  template: Template,
  { api, clusters, clusterRate, clusterBurst }: ClusterThrottles,
): Template {
  const names = clusters.split(",").filter((name) => name !== "");
  if (names.length === 0) return template;
  const throttle = { ThrottlingRateLimit: Number(clusterRate), ThrottlingBurstLimit: Number(clusterBurst) };
  return api === "http" ? addToHttpApi(template, names, throttle) : addToRestApi(template, names, throttle);
}

function addToHttpApi(template: Template, names: readonly string[], throttle: Throttle): Template {
  const routes = names.flatMap((name) =>
    HTTP_PATHS.map((path, index) => ({ id: `${idOf(name)}Route${index}`, key: `POST ${path(name)}` })),
  );
  // API Gateway refuses changes of one API at the same time: each route waits for the one before.
  const chained = routes.map(({ id, key }, index) => [id, httpRoute(key, routes[index - 1]?.id)] as const);
  const stage = resourceOf(template.Resources, "ApiStage");
  const RouteSettings = Object.fromEntries(routes.map(({ key }) => [key, throttle]));
  return withResources(template, {
    ...Object.fromEntries(chained),
    // A stage refuses settings of routes that do not exist yet.
    ApiStage: { ...withProperties(stage, { RouteSettings }), DependsOn: routes.map(({ id }) => id) },
  });
}

const HTTP_PATHS: readonly ((name: string) => string)[] = [
  (name) => `/t/{token}/inject/cluster/${name}`,
  (name) => `/t/{token}/inject/cluster/${name}/{proxy+}`,
  (name) => `/t/{token}/r/{revision}/inject/cluster/${name}`,
  (name) => `/t/{token}/r/{revision}/inject/cluster/${name}/{proxy+}`,
];

function httpRoute(RouteKey: string, before = "RevisionParametersRoute"): Resource {
  const Target = { "Fn::Join": ["/", ["integrations", { Ref: "InjectIntegration" }]] };
  const Properties = { ApiId: { Ref: "Api" }, RouteKey, Target };
  return { Type: "AWS::ApiGatewayV2::Route", DependsOn: before, Properties };
}

interface RestPath {
  readonly id: string;
  readonly resource: Resource;
  /** Whether calls are accepted here, or only further down. */
  readonly isCalled: boolean;
  /** The whole path, when it has a throttle of its own. */
  readonly throttled?: string;
}

/** Every other name below `cluster` is routed too: a REST API does not fall back to the path above. */
function addToRestApi(template: Template, names: readonly string[], throttle: Throttle): Template {
  const stage = resourceOf(template.Resources, "ApiStage");
  const deployment = resourceOf(template.Resources, "ApiDeployment");
  const paths = REST_PARENTS.flatMap(([parent, path]) => [
    { ...restPath(`${parent}Cluster`, parent, "cluster"), isCalled: false },
    restPath(`${parent}ClusterOther`, `${parent}Cluster`, "{proxy+}"),
    ...names.flatMap((name) => clusterPaths(parent, path, name)),
  ]);
  const called = paths.filter(({ isCalled }) => isCalled).map(({ id }) => id);
  const settings = paths.flatMap(({ throttled }) => {
    if (throttled === undefined) return [];
    return [{ HttpMethod: "POST", ResourcePath: `/${throttled.replaceAll("/", "~1")}`, ...throttle }];
  });
  const method = resourceOf(template.Resources, "InjectMethod");
  const MethodSettings = [...listOf(stage.Properties?.["MethodSettings"]), ...settings];
  return withResources(template, {
    ...Object.fromEntries(paths.map(({ id, resource }) => [id, resource])),
    ...Object.fromEntries(called.map((id) => [`${id}Method`, withProperties(method, { ResourceId: { Ref: id } })])),
    ApiDeployment: {
      ...deployment,
      DependsOn: [...[deployment.DependsOn ?? []].flat(), ...called.map((id) => `${id}Method`)],
    },
    ApiStage: withProperties(stage, { MethodSettings }),
  });
}

const REST_PARENTS = [
  ["InjectPath", "/t/{token}/inject"],
  ["RevisionInjectPath", "/t/{token}/r/{revision}/inject"],
] as const;

function clusterPaths(parent: string, path: string, name: string): readonly RestPath[] {
  const id = `${parent}${idOf(name)}`;
  return [
    { ...restPath(id, `${parent}Cluster`, name), throttled: `${path}/cluster/${name}` },
    { ...restPath(`${id}Rest`, id, "{proxy+}"), throttled: `${path}/cluster/${name}/{proxy+}` },
  ];
}

function restPath(id: string, parent: string, PathPart: string): RestPath {
  const Properties = { RestApiId: { Ref: "Api" }, ParentId: { Ref: parent }, PathPart };
  return { id, isCalled: true, resource: { Type: "AWS::ApiGateway::Resource", Properties } };
}

/** Logical IDs take letters and digits only, and a cluster keeps its ID when others are added or removed. */
function idOf(name: string): string {
  return `Cluster${createHash("sha256").update(name).digest("hex").slice(0, 10)}`;
}

function withResources(template: Template, resources: Resources): Template {
  return { ...template, Resources: { ...template.Resources, ...resources } };
}
