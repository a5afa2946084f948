// What a stack leaves around itself, and CloudFormation does not know: throttles of routes that are gone, attachments of its policies,
// and the alarms of registered clusters.
import { type JsonObject, objectOf, objectsOf, textOf } from "@outrigger/base";
import { type AwsRequest, ofStack } from "./aws-request.ts";
import type { Template } from "./template.ts";

const STAGE = "$default";

/** What a deployed stage says of its routes, and which of them the template no longer has. */
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

async function resourcesOf(request: AwsRequest, StackName: string): Promise<readonly JsonObject[]> {
  return objectsIn(await request("cloudformation:ListStackResources", { StackName }), "StackResourceSummaries");
}

/**
 * Why the stack cannot be removed: IAM deletes no policy that is attached. One sentence for each attachment, with the command that
 * detaches it.
 */
export async function attachedPolicies(request: AwsRequest, stackName: string): Promise<readonly string[]> {
  const policies = (await resourcesOf(request, stackName))
    .filter(({ ResourceType }) => ResourceType === "AWS::IAM::ManagedPolicy")
    .flatMap(({ PhysicalResourceId }) => textOf(PhysicalResourceId) ?? []);
  const problems: string[] = [];
  for (const PolicyArn of policies) {
    const entities = await request("iam:ListEntitiesForPolicy", { PolicyArn });
    for (const [kind, list, key] of KINDS) {
      const names = objectsIn(entities, list).map((entity) => String(entity[key]));
      problems.push(...names.map((name) => sentence(PolicyArn, kind, name)));
    }
  }
  return problems;
}

const KINDS = [
  ["role", "PolicyRoles", "RoleName"],
  ["user", "PolicyUsers", "UserName"],
  ["group", "PolicyGroups", "GroupName"],
] as const;

function sentence(arn: string, kind: string, name: string): string {
  const command = `aws iam detach-${kind}-policy --${kind}-name ${name} --policy-arn ${arn}`;
  return `Cannot remove the stack: the ${kind} ${name} has its policy ${arn.split("/").at(-1)}. Detach it first: ${command}`;
}

function objectsIn(value: unknown, key: string): readonly JsonObject[] {
  return objectsOf(objectOf(value)[key]);
}

/**
 * Gives the alarm of each registered cluster the actions of the deployment's own alarms, which a deploy that changes `email` or `topic`
 * changes. Returns how many changed.
 */
export async function notifyForClusters(request: AwsRequest, stage: string): Promise<number> {
  const [own] = await alarmsNamed(request, `outrigger-${stage}-canary`);
  const clusters = await alarmsNamed(request, `outrigger-${stage}-no-calls-`);
  const actions = { AlarmActions: own?.["AlarmActions"] ?? [], OKActions: own?.["OKActions"] ?? [] };
  const outdated = clusters.filter((alarm) => ACTIONS.some((key) => !isSame(alarm[key], actions[key])));
  for (const alarm of outdated) {
    const kept = KEPT.flatMap((key) => (alarm[key] === undefined ? [] : [[key, alarm[key]] as const]));
    await request("cloudwatch:PutMetricAlarm", { Alarm: JSON.stringify({ ...Object.fromEntries(kept), ...actions }) });
  }
  return outdated.length;
}

const ACTIONS = ["AlarmActions", "OKActions"] as const;

/** The members of an alarm that describe it: what CloudWatch adds (state, times, ARN) is refused when it is put. */
const KEPT = [
  "AlarmName",
  "AlarmDescription",
  // Left out, it is true: an alarm that a person has muted would notify again.
  "ActionsEnabled",
  "Namespace",
  "MetricName",
  "Dimensions",
  "Statistic",
  "Period",
  "EvaluationPeriods",
  "DatapointsToAlarm",
  "Threshold",
  "ComparisonOperator",
  "TreatMissingData",
] as const;

async function alarmsNamed(request: AwsRequest, AlarmNamePrefix: string): Promise<readonly JsonObject[]> {
  return objectsIn(await request("cloudwatch:DescribeAlarms", { AlarmNamePrefix }), "MetricAlarms");
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? []) === JSON.stringify(other);
}
