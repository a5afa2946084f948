// Throttles of routes that a stack has no longer: an HTTP API keeps them, and CloudFormation does not know.
import { objectOf, textOf } from "@outrigger/base";
import { type AwsRequest, ofStack, resourcesOf } from "./aws-request.ts";
import type { Template } from "./template.ts";

const STAGE = "$default";

/** The routes of a deployed stage, and those of them that the template no longer has. */
interface StaleRoutes {
  readonly stage: Readonly<Record<"ApiId" | "StageName", string>>;
  /** The settings of all routes, as JSON text. */
  readonly RouteSettings: string;
  readonly keys: readonly string[];
}

/** Routes with settings that the template no longer has; undefined if there are none. */
export async function staleRoutes(
  request: AwsRequest,
  stackName: string,
  template: Template,
): Promise<StaleRoutes | undefined> {
  const resources = await ofStack(resourcesOf(request, stackName));
  const api = resources?.find(({ LogicalResourceId }) => LogicalResourceId === "HttpApi");
  const ApiId = textOf(api?.["PhysicalResourceId"]);
  if (!ApiId) return undefined;
  const stage = { ApiId, StageName: STAGE };
  const current = objectOf(objectOf(await request("apigateway:GetStage", stage))["RouteSettings"]);
  const wanted = objectOf(template.Resources["HttpApiStage"]?.Properties?.["RouteSettings"]);
  const keys = Object.keys(current).filter((key) => !Object.hasOwn(wanted, key));
  return keys.length === 0 ? undefined : { stage, RouteSettings: JSON.stringify(current), keys };
}

/**
 * Resets the settings of these routes. An HTTP API keeps them, and refuses every later change of its stage because of them ("Unable to
 * find Route by key").
 */
export async function resetRouteSettings(request: AwsRequest, { stage, keys }: StaleRoutes): Promise<void> {
  for (const RouteKey of keys) await request("apigateway:DeleteRouteSettings", { ...stage, RouteKey });
}

/** Undoes the reset after an update that failed: the routes are still there, and had no throttle. */
export async function restoreRouteSettings(request: AwsRequest, { stage, RouteSettings }: StaleRoutes): Promise<void> {
  await request("apigateway:UpdateStage", { ...stage, RouteSettings });
}

/** The reset as commands, for a template that is deployed by others. */
export function resetCommands({ stage, keys }: StaleRoutes): readonly string[] {
  return keys.map((key) => `aws apigatewayv2 delete-route-settings ${optionsOf(stage)} --route-key '${key}'`);
}

export function restoreCommand({ stage, RouteSettings }: StaleRoutes): string {
  return `aws apigatewayv2 update-stage ${optionsOf(stage)} --route-settings '${RouteSettings}'`;
}

function optionsOf({ ApiId, StageName }: StaleRoutes["stage"]): string {
  return `--api-id ${ApiId} --stage-name '${StageName}'`;
}
