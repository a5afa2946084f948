// Which API Gateway APIs a template contains. Each kind has logical IDs of its own, so that changing `api` makes a new
// API: CloudFormation refuses to change the type of a resource, and the old API can stay while clusters move. Pure.
import { isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import { addClusterRoutes, type ClusterThrottles } from "./cluster-routes.ts";
import { nameDeployment } from "./name-by-content.ts";
import type { SettingValues } from "./settings/schema.ts";
import { settleConditions } from "./settle-conditions.ts";
import { decodeResources, type Resources, renameIds, type Template } from "./template.ts";

/** The resources of each kind, from `infra/api`; their IDs are the same in each kind. */
export type Gateways = Readonly<Record<string, Resources>>;

const PREFIXES: Readonly<Record<string, string>> = { http: "Http", rest: "Rest", private: "Private" };

/**
 * Resources of every kind of API, from the `custom.gateways` of serverless.yml.
 *
 * @throws TypeError where a file of `infra/api` has no resources
 */
export function decodeGateways(custom: JsonObject): Gateways {
  const kinds = isObject(custom["gateways"]) ? Object.entries(custom["gateways"]) : [];
  return Object.fromEntries(kinds.map(([kind, gateway]) => [kind, resourcesIn(kind, gateway)]));
}

function resourcesIn(kind: string, gateway: JsonValue | undefined): Resources {
  const parts = ["template", "stage"].map((part) => {
    const template = isObject(gateway) ? gateway[part] : undefined;
    if (!isObject(template)) throw new TypeError(`Cannot read ${part} of infra/api/${kind}.yml: it is not an object`);
    return decodeResources(template["Resources"]);
  });
  return Object.fromEntries(parts.flatMap((resources) => Object.entries(resources)));
}

/** The compiled template, which has the main API under the IDs of `infra/api`, with both APIs under their own IDs. */
export function withGateways(
  compiled: Template,
  gateways: Gateways,
  settings: ClusterThrottles & Pick<SettingValues, "alsoApi">,
): Template {
  const { alsoApi } = settings;
  const { Conditions, ...rest } = compiled;
  const main = named(settleConditions(compiled), gateways, settings);
  if (alsoApi === "") return main;
  const ids = new Set(Object.keys(main.Resources));
  const template = { ...rest, Conditions: Conditions ?? {}, Resources: gateways[alsoApi] ?? {}, Outputs: {} };
  const also = named(settleConditions(template, ids), gateways, { ...settings, api: alsoApi });
  return { ...main, Resources: { ...main.Resources, ...also.Resources } };
}

function named(template: Template, gateways: Gateways, settings: ClusterThrottles): Template {
  const complete = nameDeployment(addClusterRoutes(template, settings));
  const own = new Set(Object.keys(gateways[settings.api] ?? {}));
  // What the plugin adds refers to the API by its ID; what serverless.yml defines besides the API does not belong to it.
  const isOwn = ([id, { Type }]: readonly [string, { readonly Type: string }]) =>
    own.has(id) || (/^AWS::ApiGateway(V2)?::(Route|Resource|Method|Deployment)$/.test(Type) && !SHARED.has(id));
  const ids = Object.entries(complete.Resources)
    .filter(isOwn)
    .map(([id]) => [id, `${PREFIXES[settings.api]}${id}`] as const);
  return renameIds(complete, new Map(ids));
}

/** API Gateway's own resources that belong to no kind. */
const SHARED: ReadonlySet<string> = new Set(["Domain", "DomainMapping", "GatewayAccount"]);
