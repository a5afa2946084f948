// The throttles of routes that a deploy removes. An HTTP API keeps the settings of a route that is gone, and refuses
// every later change of its stage because of them ("Unable to find Route by key"): they are reset before the update.
import { isObject, listOf } from "@outrigger/base";
import type { AwsRequest } from "./aws-request.ts";
import type { Template } from "./template.ts";

const STAGE = "$default";

/** The settings of a route: what DeleteRouteSettings takes. */
type RouteSettings = Readonly<Record<"ApiId" | "StageName" | "RouteKey", string>>;

/** Resets the settings of routes that the template no longer has. */
export async function resetRouteSettings(request: AwsRequest, stackName: string, template: Template): Promise<void> {
  for (const route of await staleRoutes(request, stackName, template)) {
    await request("apigateway:DeleteRouteSettings", route);
  }
}

/** The same as commands, for a template that is deployed by others. */
export function resetCommands(stale: readonly RouteSettings[]): readonly string[] {
  return stale.map(
    ({ ApiId, StageName, RouteKey }) =>
      `aws apigatewayv2 delete-route-settings --api-id ${ApiId} --stage-name '${StageName}' --route-key '${RouteKey}'`,
  );
}

/** Routes with settings that the template no longer has; none without a deployed HTTP API. */
export async function staleRoutes(
  request: AwsRequest,
  stackName: string,
  template: Template,
): Promise<readonly RouteSettings[]> {
  const ApiId = await deployedApi(request, stackName);
  if (ApiId === undefined) return [];
  const stage = await request("apigateway:GetStage", { ApiId, StageName: STAGE });
  const current = isObject(stage) && isObject(stage["RouteSettings"]) ? Object.keys(stage["RouteSettings"]) : [];
  const { RouteSettings } = template.Resources["HttpApiStage"]?.Properties ?? {};
  const wanted = new Set(isObject(RouteSettings) ? Object.keys(RouteSettings) : []);
  return current.filter((key) => !wanted.has(key)).map((RouteKey) => ({ ApiId, StageName: STAGE, RouteKey }));
}

async function deployedApi(request: AwsRequest, StackName: string): Promise<string | undefined> {
  try {
    const reply = await request("cloudformation:ListStackResources", { StackName });
    const summaries = isObject(reply) ? reply["StackResourceSummaries"] : [];
    const api = listOf(summaries).find(
      (summary: unknown) => isObject(summary) && summary["LogicalResourceId"] === "HttpApi",
    );
    const id = isObject(api) ? api["PhysicalResourceId"] : undefined;
    return typeof id === "string" && id !== "" ? id : undefined;
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
    throw error;
  }
}
