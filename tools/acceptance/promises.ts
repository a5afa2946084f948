// What the docs promise of AWS that no emulator answers: each promise, what it rests on here, and how to see it in an account.
// docs/contributing/deployment.md lists them, and `npm run acceptance` looks at those that it can.

export interface Promised {
  /** What steps.ts calls it. */
  readonly id: string;
  readonly promise: string;
  readonly restsOn: string;
  readonly see: string;
  /** Why no step of the acceptance run looks at it. */
  readonly unlooked?: string;
}

export const PROMISES: readonly Promised[] = [
  {
    id: "policies",
    promise: "the policies of `outrigger print policy` suffice",
    restsOn: "moto's evaluator, on recorded calls and on the permissions in CloudFormation's schemas",
    see: "deploy, change a setting, remove a stage with them: `--deployer`",
  },
  {
    id: "cut-names",
    promise: "names that CloudFormation makes up are cut to 24 characters",
    restsOn: "names that others have reported (serverless/serverless#2791)",
    see: "deploy a stage of 20 characters",
  },
  {
    id: "versions",
    promise: "a version is made if and only if code or configuration changes",
    restsOn: "Lambda's documented rule, as a property test",
    see: "deploy twice, then with another `tags`",
  },
  {
    id: "no-interruption",
    promise: "no deploy interrupts calls",
    restsOn: "the order of resources in the templates",
    see: "deploy while pods start",
  },
  {
    id: "alarm",
    promise: "an alarm fires in the minute after its cause",
    restsOn: "CloudWatch's documented evaluation of periods and missing data",
    see: "make the canary fail, and look when the alarm fires",
  },
  {
    id: "silent-metrics",
    promise: "metrics come of log lines, and stop with their log group",
    restsOn: "the embedded metric format as documented",
    see: "delete the inject function's log group, wait five minutes",
  },
  {
    id: "gateway-log",
    promise: "the gateway's log continues in a log group that was made again",
    restsOn: "its destination is the group's name",
    see: "delete that group, follow the runbook",
  },
  {
    id: "edits",
    promise: "EventBridge delivers an edit in Parameter Store within seconds",
    restsOn: "AWS's documents: delivery is best effort, so the schedule looks every five minutes too",
    see: "edit a value, and look when it is published",
  },
  {
    id: "rollback",
    promise: "a stack whose rollback failed can be continued",
    restsOn: "CloudFormation's documented states",
    see: "delete a log group, change `retention`, make the group again, continue the rollback",
  },
  {
    id: "hook-rollback",
    promise: "a check of the deploy that is called in a rollback finds the stack `UPDATE_ROLLBACK_IN_PROGRESS`",
    restsOn: "CloudFormation's documented states",
    see: "the publish function's answer in the stack's events, when Parameter Store fails in a rollback",
    unlooked: "Parameter Store would have to fail",
  },
  {
    id: "trace",
    promise: "CloudTrail has the trace of a call to Parameter Store",
    restsOn: "CloudTrail's record format: `userAgent` is the request's",
    see: "`tracing: on`, then [follow a call](../traces.md)",
  },
  {
    id: "canary-look",
    promise: "the canary's grants suffice for its hourly look",
    restsOn: "IAM's documented resources of these actions",
    see: "the canary's log after an hour: `found` is empty",
  },
  {
    id: "cold-start",
    promise: "how long a cold start takes",
    restsOn: "processor time that was measured elsewhere",
    see: "`REPORT` lines with `Init Duration` in the log",
  },
  {
    id: "egress",
    promise: "an EKS control plane reaches the API in each egress mode",
    restsOn: "the EKS user guide",
    see: "register a cluster of each mode",
  },
  {
    id: "private-api",
    promise: "a private API is called by the name that has the endpoint",
    restsOn: "API Gateway's guide",
    see: "deploy `api: private`, look at the canary",
    unlooked: "it needs a network with an endpoint of API Gateway, and a cluster in it",
  },
];

/** The lines of the list in docs/contributing/deployment.md. */
export function promiseLines(): readonly string[] {
  return PROMISES.map(({ promise, unlooked }) => `- ${promise}${unlooked === undefined ? "" : " (no step)"}`);
}
