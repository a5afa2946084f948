// The names of what a deployment's stack makes, as infra/ gives them and as CloudFormation makes them up. Pure.
// test/infra/deployer-policies.test.ts compares them with the templates.

/** Of every deployment, each `outrigger-<stage>-<name>`. Those of clusters are `no-calls-<cluster>`, a domain's is `certificate`. */
export const stackAlarms: readonly string[] = [
  ...["errors", "latency", "throttles", "burst", "guardrail-violated", "canary", "metrics-silent", "access-log-silent"],
  ...["publish-refused", "publish-failed", "publish-dead-letters", "edits-unpublished", "edit-held", "unsettled"],
  ...["serving-stale", "serving-bundled", "image-invalid", "release-unsupported"],
  ...["gateway-throttled", "gateway-rejected", "gateway-failed", "rollout-returned", "rollout-stuck"],
];

export const stackFunctions: readonly string[] = ["inject", "publish", "register", "canary"];

/** The log groups of a stage. */
export function stackLogGroups(stage: string): readonly string[] {
  const functions = stackFunctions.map((name) => `/aws/lambda/outrigger-${stage}-${name}`);
  return [...functions, `/aws/vendedlogs/outrigger/${stage}/access`];
}

/** CloudFormation's random end of a name, with its dash. */
const END = 13;
/** What CloudFormation keeps of the stack's name and of the logical ID where both are too long. */
const KEPT = 24;

/**
 * The pattern of a name that CloudFormation makes up: the stack's name, the logical ID and a random end. Where that is
 * longer than the service takes, CloudFormation cuts it; a bucket's is in lower case.
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
