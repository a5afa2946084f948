// The throttles of routes that a deploy removes. An HTTP API keeps the settings of a route that is gone, and refuses
// every later change of its stage because of them ("Unable to find Route by key"): they are reset before the update.
import { isObject, listOf } from "@outrigger/base";
import type { AwsRequest } from "./aws-request.ts";
import type { Template } from "./template.ts";

const STAGE = "$default";

/** Resets the settings of routes that the template no longer has. Without a deployed HTTP API it does nothing. */
export async function resetRouteSettings(request: AwsRequest, stackName: string, template: Template): Promise<void> {
  const ApiId = await deployedApi(request, stackName);
  if (ApiId === undefined) return;
  const stage = await request("apigateway:GetStage", { ApiId, StageName: STAGE });
  const current = isObject(stage) && isObject(stage["RouteSettings"]) ? Object.keys(stage["RouteSettings"]) : [];
  const { RouteSettings } = template.Resources["HttpApiStage"]?.Properties ?? {};
  const wanted = new Set(isObject(RouteSettings) ? Object.keys(RouteSettings) : []);
  for (const RouteKey of current.filter((key) => !wanted.has(key))) {
    await request("apigateway:DeleteRouteSettings", { ApiId, StageName: STAGE, RouteKey });
  }
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
