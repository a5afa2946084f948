// What `npm run acceptance` does in an account, as data: commands of the tools that a user has, in their order. {stage}, {cluster}
// and {namespace} are filled in; words are separated by blanks. Parameter Store refuses values with two braces in a row.
import type { Promised } from "./promises.ts";

export interface Step {
  readonly does: string;
  /** An estimate of the minutes that the step takes. */
  readonly minutes: number;
  /** Settings of the stage from here on; those of the step before where they are left out. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly commands: readonly string[];
  /** A command that has to fail, after the others. */
  readonly fails?: string;
  /** A command that is repeated while the commands run. Every output has to match. */
  readonly meanwhile?: { readonly command: string; readonly matches: string };
  /** The option of the run without which the step is not begun. */
  readonly needs?: "deployer";
  /**
   * A command that is repeated until its output matches, for as many minutes. What it printed last is what was seen.
   */
  readonly look?: { readonly command: string; readonly matches: string; readonly minutes?: number };
  /** The promise that is answered by what was seen. */
  readonly answers?: Promised["id"];
  /** Commands that are carried out at the end if the step has begun, in any case. Those of the last step come first. */
  readonly undo?: readonly string[];
}

const SETTINGS = { alarms: "silent", reserved: "0" };

/** One value for each setting that needs nothing of the account but the stack: another than its default. */
export const CHANGED: Readonly<Record<string, string>> = {
  alsoApi: "rest",
  guardrails: "privileged",
  clusters: "acceptance-9f3c1a7e",
  rate: "50",
  burst: "25",
  clusterRate: "20",
  clusterBurst: "10",
  memory: "1024",
  ttl: "5",
  bundledFallback: "on",
  clusterLatency: "on",
  retention: "7",
  canary: "rate(2 minutes)",
  eventBus: "default",
  tags: "acceptance=changed",
  tracing: "on",
};

/** Settings that the run does not change, each with the reason. */
export const NOT_CHANGED: Readonly<Record<string, string>> = {
  ...named("needs what belongs to you", ["domain", "certificate", "executeApi", "sharedDomain", "kmsKey"]),
  ...named("needs what belongs to you", ["permissionsBoundary", "serviceRole", "email", "topic", "releaseBucket"]),
  ...named("needs a network", ["vpcEndpoints", "subnets", "securityGroups"]),
  ...named("needs a second deployment", ["replicaOf", "replicaOfStage"]),
  ...named("takes of the account's quota", ["reserved", "provisioned"]),
  ...named("would close the API to the cluster", ["api", "sources"]),
  gatewayLogRole: "belongs to the account",
  tier: "cannot be changed back",
  alarms: "is silent throughout",
  ...named("decides about edits and trees, which AWS has no part in", ["hold", "environment", "mesh"]),
};

function named(why: string, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, why]));
}

const DEPLOY = "outrigger deploy --stage {stage} --yes";
const REGISTER =
  "outrigger register --deployment {stage} --cluster {cluster} --phase namespace --namespace {namespace}";
const stackStatus =
  "aws cloudformation describe-stacks --stack-name outrigger-{stage} --query Stacks[0].StackStatus --output text";
const alarm = (name: string) =>
  `aws cloudwatch describe-alarms --alarm-names outrigger-{stage}-${name} --query MetricAlarms[0].StateValue --output text`;

export const STEPS: readonly Step[] = [
  {
    does: "deploys a stage of its own",
    minutes: 5,
    settings: SETTINGS,
    commands: [DEPLOY],
    look: {
      command:
        "aws cloudformation describe-stack-resource --stack-name outrigger-{stage} --logical-resource-id ServerlessDeploymentBucket --query StackResourceDetail.PhysicalResourceId --output text",
      matches: "^outrigger-acceptance-\\w{3}-serverlessdeploymentbucket-\\w{12}$",
    },
    answers: "cut-names",
    undo: [
      "outrigger undeploy --stage {stage}",
      "aws ssm delete-parameters --names /outrigger/{stage}/source/values/90-acceptance /outrigger/{stage}/source/values/91-acceptance",
    ],
  },
  {
    does: "has the canary look at what was deployed",
    minutes: 1,
    commands: [],
    look: {
      command:
        'aws lambda invoke --function-name outrigger-{stage}-canary --cli-binary-format raw-in-base64-out --payload {"look":"drift"} /dev/stdout',
      matches: '"found":\\[\\],"unseen":\\[\\]',
    },
    answers: "canary-look",
  },
  {
    does: "deploys other tags: no version of Lambda is made",
    minutes: 2,
    settings: { ...SETTINGS, tags: "acceptance=one" },
    commands: [DEPLOY],
    look: {
      command: "aws lambda list-versions-by-function --function-name outrigger-{stage}-inject --query length(Versions)",
      matches: "^2$",
    },
    answers: "versions",
  },
  {
    does: "makes a namespace with a workload",
    minutes: 1,
    commands: [
      "aws eks update-kubeconfig --name {cluster}",
      "kubectl create namespace {namespace}",
      "kubectl label namespace {namespace} istio-injection=enabled",
      "kubectl create deployment web --namespace {namespace} --image=registry.k8s.io/pause:3.10",
    ],
    undo: ["kubectl delete namespace {namespace} --ignore-not-found"],
  },
  {
    does: "registers that namespace, and has the cluster call",
    minutes: 2,
    commands: [REGISTER],
    look: {
      command:
        "aws eks describe-cluster --name {cluster} --query cluster.resourcesVpcConfig.controlPlaneEgressMode --output text",
      matches: "^\\w+$",
    },
    answers: "egress",
    undo: ["outrigger unregister --deployment {stage} --cluster {cluster} --yes"],
  },
  {
    does: "publishes an edit in Parameter Store",
    minutes: 1,
    commands: [
      'aws ssm put-parameter --name /outrigger/{stage}/source/values/90-acceptance --type String --value {"global":{"proxy":{"logLevel":"info"},},}',
    ],
    look: {
      command:
        'aws logs filter-log-events --log-group-name /aws/lambda/outrigger-{stage}-publish --filter-pattern {$.trigger="edit"} --query length(events)',
      matches: "^[1-9]",
      minutes: 4,
    },
    answers: "edits",
  },
  {
    does: "shares a release, and takes the share back",
    minutes: 1,
    commands: [
      "outrigger channel stable --deployment {stage}",
      "outrigger promote stable acceptance --deployment {stage}",
      'aws ssm put-parameter --name /outrigger/{stage}/source/values/91-acceptance --type String --value {"global":{"proxy":{"logLevel":"debug"},},}',
      "outrigger publish --deployment {stage}",
      "outrigger promote stable acceptance --share 50 --deployment {stage}",
      "outrigger rollout abort acceptance --deployment {stage}",
    ],
  },
  {
    does: "restarts the workload",
    minutes: 2,
    commands: ["outrigger restart --deployment {stage} --cluster {cluster} --namespace {namespace} --yes"],
    look: {
      command:
        "aws logs filter-log-events --log-group-name /aws/lambda/outrigger-{stage}-inject --filter-pattern Init --query events[].message --output text",
      matches: "Init Duration: [\\d.]+ ms",
      minutes: 3,
    },
    answers: "cold-start",
  },
  {
    does: "rotates the token",
    minutes: 1,
    commands: ["outrigger token rotate --deployment {stage} --cluster {cluster} --now"],
  },
  {
    does: "switches injection off, and on again",
    minutes: 1,
    commands: ["outrigger off", REGISTER],
  },
  {
    does: "breaks the canary, and sees its alarm",
    minutes: 4,
    commands: [
      "aws ssm put-parameter --name /outrigger/{stage}/canary/token --type SecureString --value broken --overwrite",
    ],
    look: { command: alarm("canary"), matches: "^ALARM$", minutes: 5 },
    answers: "alarm",
  },
  {
    does: "repairs the canary",
    minutes: 3,
    commands: [
      "outrigger clusters remove canary --deployment {stage}",
      "aws ssm delete-parameter --name /outrigger/{stage}/canary/token",
      "outrigger repair --deployment {stage}",
    ],
    look: { command: alarm("canary"), matches: "^OK$", minutes: 5 },
  },
  {
    does: "deletes the inject function's log group, and sees that metrics stop",
    minutes: 10,
    commands: ["aws logs delete-log-group --log-group-name /aws/lambda/outrigger-{stage}-inject"],
    look: { command: alarm("metrics-silent"), matches: "^ALARM$", minutes: 12 },
    answers: "silent-metrics",
  },
  {
    does: "makes the log group again, and sees that metrics come",
    minutes: 3,
    commands: ["aws logs create-log-group --log-group-name /aws/lambda/outrigger-{stage}-inject"],
    look: { command: alarm("metrics-silent"), matches: "^OK$", minutes: 6 },
  },
  {
    does: "deletes the gateway's log group, makes it again, and sees that the log continues",
    minutes: 2,
    commands: [
      "aws logs delete-log-group --log-group-name /aws/vendedlogs/outrigger/{stage}/access",
      "aws logs create-log-group --log-group-name /aws/vendedlogs/outrigger/{stage}/access",
    ],
    look: {
      command:
        "aws logs filter-log-events --log-group-name /aws/vendedlogs/outrigger/{stage}/access --query length(events)",
      matches: "^[1-9]",
      minutes: 6,
    },
    answers: "gateway-log",
  },
  {
    does: "changes every setting that needs nothing else of yours, at once, while pods are made",
    minutes: 5,
    settings: { ...SETTINGS, ...CHANGED },
    commands: [DEPLOY, REGISTER],
    // The API server calls the webhook for it, and keeps no pod.
    meanwhile: {
      command:
        "kubectl run meanwhile --namespace {namespace} --image=registry.k8s.io/pause:3.10 --dry-run=server --output jsonpath={.spec.initContainers[*].name},{.spec.containers[*].name}",
      matches: "istio-proxy",
    },
    answers: "no-interruption",
  },
  {
    does: "finds a call's trace in CloudTrail",
    minutes: 10,
    commands: ["kubectl rollout restart deployment/web --namespace {namespace}"],
    look: {
      command:
        "aws cloudtrail lookup-events --lookup-attributes AttributeKey=Username,AttributeValue=outrigger-{stage}-inject --query Events[].CloudTrailEvent --output text",
      matches: "outrigger 1-[0-9a-f]{8}-[0-9a-f]{24}",
      minutes: 20,
    },
    answers: "trace",
  },
  {
    does: "changes a setting with the deployer's policies alone",
    minutes: 3,
    needs: "deployer",
    settings: { ...SETTINGS, ...CHANGED, retention: "14" },
    commands: [DEPLOY],
    answers: "policies",
  },
  {
    does: "has a deploy and its rollback fail: a log group that it changes is gone",
    minutes: 4,
    settings: { ...SETTINGS, ...CHANGED, retention: "30" },
    commands: ["aws logs delete-log-group --log-group-name /aws/lambda/outrigger-{stage}-register"],
    fails: DEPLOY,
    look: { command: stackStatus, matches: "^UPDATE_ROLLBACK_FAILED$", minutes: 5 },
  },
  {
    does: "makes the log group again, and continues the rollback",
    minutes: 3,
    commands: [
      "aws logs create-log-group --log-group-name /aws/lambda/outrigger-{stage}-register",
      "aws cloudformation continue-update-rollback --stack-name outrigger-{stage}",
    ],
    look: { command: stackStatus, matches: "^UPDATE_ROLLBACK_COMPLETE$", minutes: 10 },
    answers: "rollback",
  },
];

/** An estimate of the minutes that the removal takes. */
export const REMOVAL_MINUTES = 5;
