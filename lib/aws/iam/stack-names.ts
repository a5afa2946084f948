// The names of what a deployment's stack makes, as infra/ gives them and as CloudFormation makes them up. Pure.
// test/infra/people-policies.test.ts compares them with the templates.
import type { JsonObject } from "@outrigger/base";

/** The names of what every deployment has. */
export const stackNames = {
  /** The names, each `outrigger-<stage>-<name>`. Those of clusters are `no-calls-<cluster>`. */
  alarms: [
    ...["errors", "latency", "throttles", "burst", "guardrail-violated", "canary", "metrics-silent"],
    ...["access-log-silent", "drift", "publish-refused", "publish-failed", "publish-dead-letters"],
    ...["edits-unpublished", "edit-held", "unsettled", "serving-stale", "serving-bundled", "image-invalid"],
    ...["release-unsupported", "gateway-throttled", "gateway-rejected", "gateway-failed", "rollout-returned"],
    ...["rollout-stuck", "denied"],
  ],
  /** Setting → the alarm that only deployments with it have. */
  alarmOf: { domain: "certificate", eventBus: "events-failed" },
  functions: ["inject", "publish", "register", "canary"],
  /** The managed policies, each `outrigger-<stage>-<region>-<name>`. */
  policies: ["template-editors", "channel-movers", "cluster-registrars"],
  /** Metric → the pattern of the filter that makes it of the gateway's log. */
  filters: {
    GatewayThrottled: '{ $.status = "429" }',
    GatewayRejected: '{ ($.status = "4*") && ($.status != "429") && ($.route = "POST /t/*") }',
    GatewayFailed: '{ $.status = "5*" }',
  },
  /** The log groups of a stage. The last is the gateway's. */
  logGroups(stage: string): readonly string[] {
    const functions = stackNames.functions.map((name) => `/aws/lambda/outrigger-${stage}-${name}`);
    return [...functions, `/aws/vendedlogs/outrigger/${stage}/access`];
  },
} as const;

/** CloudFormation's random end of a name, with its dash. */
const END = 13;
/** The characters that CloudFormation keeps of the stack's name and of the logical ID if both are too long. */
const KEPT = 24;

/**
 * The pattern of a name that CloudFormation makes up: the stack's name, the logical ID and a random end. Where that is
 * longer than the service takes, CloudFormation cuts it.
 *
 * @example
 * ```ts
 * generatedName("prod", "InjectRole", 64) // => "outrigger-prod-InjectRole-*"
 * ```
 */
export function generatedName(stage: string, logicalId: string, limit: number): string {
  const stack = `outrigger-${stage}`;
  if (stack.length + 1 + logicalId.length + END <= limit) return `${stack}-${logicalId}-*`;
  const end = logicalId.length > KEPT ? `${logicalId.slice(0, KEPT)}*` : `${logicalId}-*`;
  return stack.length > KEPT ? `${stack.slice(0, KEPT)}*-${end}` : `${stack}-${end}`;
}

/** The ARN of a bucket whose name CloudFormation makes up: as generatedName() has it, in lower case. */
export function generatedBucket({ partition, stage }: Place, logicalId: string): string {
  return `arn:${partition}:s3:::${generatedName(stage.toLowerCase(), logicalId, LONGEST_BUCKET)}`;
}

const LONGEST_BUCKET = 63;

/** A deployment: its stage, and the account and Region that it is in. */
export interface Place {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  readonly stage: string;
}

/** ARNs of the deployment's account and Region: of a service, and the name of a resource. */
export function arnIn({ partition, region, account }: Place): (service: string, resource: string) => string {
  return (service, resource) => `arn:${partition}:${service}:${region}:${account}:${resource}`;
}

export function policyArns({ partition, region, account, stage }: Place): readonly string[] {
  return stackNames.policies.map(
    (name) => `arn:${partition}:iam::${account}:policy/outrigger-${stage}-${region}-${name}`,
  );
}

/**
 * A statement that allows actions of one service.
 *
 * @param actions their names, with white space between them
 * @example
 * ```ts
 * statement("Find", "eks", "DescribeCluster", "*").Action // => ["eks:DescribeCluster"]
 * ```
 */
export function statement(
  Sid: string,
  service: string,
  actions: string,
  resource: string | readonly string[],
  condition: Readonly<Record<string, string>> = {},
): JsonObject {
  const Condition = Object.keys(condition).length === 0 ? {} : { Condition: { StringEquals: condition } };
  const Action = actions.split(/\s+/).map((action) => `${service}:${action}`);
  return { Sid, Effect: "Allow", Action, Resource: [resource].flat(), ...Condition };
}
