// Owns the throttles of single clusters: routes with a cluster's name in them, so that a crash loop in one cluster spends
// its own share of the function's containers and not everyone's. Pure: a template in, a template out.
import { createHash } from "node:crypto";

/**
 * The template with routes and throttles for the cluster IDs in `clusters`, with commas between them. A cluster's URL says
 * `/inject/cluster/<id>` (lib/webhook/webhook-url.ts); without a throttle of its own it shares that of all others.
 *
 * @param {any} template
 * @param {{ api: string, clusters: string, clusterRate: string | number, clusterBurst: string | number }} parameters
 */
export function addClusterRoutes(template, { api, clusters, clusterRate, clusterBurst }) {
  const names = clusters.split(",").filter((name) => name !== "");
  if (names.length === 0) return template;
  const throttle = { ThrottlingRateLimit: Number(clusterRate), ThrottlingBurstLimit: Number(clusterBurst) };
  return api === "http" ? addToHttpApi(template, names, throttle) : addToRestApi(template, names, throttle);
}

function addToHttpApi(template, names, throttle) {
  const routes = names.flatMap((name) =>
    HTTP_PLACES.map((place, index) => [`${idOf(name)}Route${index}`, place(name)]),
  );
  const resources = routes.map(([id, RouteKey]) => [
    id,
    { Type: "AWS::ApiGatewayV2::Route", Properties: httpRoute(RouteKey) },
  ]);
  const stage = template.Resources.ApiStage;
  const RouteSettings = Object.fromEntries(routes.map(([, key]) => [key, throttle]));
  return withResources(template, {
    ...Object.fromEntries(resources),
    // A stage refuses settings of routes that there are not yet.
    ApiStage: { ...stage, DependsOn: routes.map(([id]) => id), Properties: { ...stage.Properties, RouteSettings } },
  });
}

const HTTP_PLACES = [
  (name) => `POST /t/{token}/inject/cluster/${name}`,
  (name) => `POST /t/{token}/inject/cluster/${name}/{proxy+}`,
  (name) => `POST /t/{token}/r/{revision}/inject/cluster/${name}`,
  (name) => `POST /t/{token}/r/{revision}/inject/cluster/${name}/{proxy+}`,
];

function httpRoute(RouteKey) {
  return {
    ApiId: { Ref: "Api" },
    RouteKey,
    Target: { "Fn::Join": ["/", ["integrations", { Ref: "InjectIntegration" }]] },
  };
}

/** Below `cluster` every other name is caught too: a REST API does not go back to the path above. */
function addToRestApi(template, names, throttle) {
  const stage = template.Resources.ApiStage;
  const deployment = template.Resources.ApiDeployment;
  const paths = REST_PARENTS.flatMap(([parent, path]) => [
    restPath(`${parent}Cluster`, parent, "cluster"),
    restPath(`${parent}ClusterOther`, `${parent}Cluster`, "{proxy+}", true),
    ...names.flatMap((name) => [
      restPath(`${parent}${idOf(name)}`, `${parent}Cluster`, name, true, `${path}/cluster/${name}`),
      restPath(
        `${parent}${idOf(name)}Rest`,
        `${parent}${idOf(name)}`,
        "{proxy+}",
        true,
        `${path}/cluster/${name}/{proxy+}`,
      ),
    ]),
  ]);
  const methods = paths.filter(({ isCalled }) => isCalled).map(({ id }) => [`${id}Method`, methodAt(template, id)]);
  const settings = paths
    .filter(({ throttled }) => throttled !== undefined)
    .map(({ throttled }) => ({
      HttpMethod: "POST",
      ResourcePath: `/${throttled.replaceAll("/", "~1")}`,
      ...throttle,
    }));
  const MethodSettings = [...stage.Properties.MethodSettings, ...settings];
  return withResources(template, {
    ...Object.fromEntries(paths.map(({ id, resource }) => [id, resource])),
    ...Object.fromEntries(methods),
    ApiDeployment: { ...deployment, DependsOn: [...deployment.DependsOn, ...methods.map(([id]) => id)] },
    ApiStage: { ...stage, Properties: { ...stage.Properties, MethodSettings } },
  });
}

const REST_PARENTS = [
  ["InjectPath", "/t/{token}/inject"],
  ["RevisionInjectPath", "/t/{token}/r/{revision}/inject"],
];

function restPath(id, parent, PathPart, isCalled = false, throttled = undefined) {
  const Properties = { RestApiId: { Ref: "Api" }, ParentId: { Ref: parent }, PathPart };
  return { id, isCalled, throttled, resource: { Type: "AWS::ApiGateway::Resource", Properties } };
}

function methodAt(template, path) {
  const { InjectMethod } = template.Resources;
  return { ...InjectMethod, Properties: { ...InjectMethod.Properties, ResourceId: { Ref: path } } };
}

/** Logical ids take letters and digits only, and a cluster keeps its own when others come and go. */
function idOf(name) {
  return `Cluster${createHash("sha256").update(name).digest("hex").slice(0, 10)}`;
}

function withResources(template, resources) {
  return { ...template, Resources: { ...template.Resources, ...resources } };
}
