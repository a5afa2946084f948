// The IAM policies for people: who deploys, edits, publishes, registers clusters, is on call. What the stack makes as
// managed policies is the same (infra/people.yml); test/infra/people-policies.test.ts compares them. Pure.
import { isObject, type JsonObject } from "@outrigger/base";
import { partitionOf } from "../signed/service-endpoint.ts";
import { deployerStatements, serviceRoleStatements } from "./deploy-policies.ts";
import { arnIn, generatedBucket, type Place, statement } from "./stack-names.ts";

/** The kinds of policies: one for each thing that people do. */
export const policyKinds = ["deployer", "editor", "publisher", "registrar", "oncall"] as const;
type PolicyKind = (typeof policyKinds)[number];

interface PolicyOptions {
  /** The role that a registrar assumes for clusters in another account, or that a deployer passes to CloudFormation. */
  readonly roleArn?: string;
  /** The policy of that role, in place of the person's. */
  readonly forRole?: boolean;
  /** The boundary that roles must have which CloudFormation makes. */
  readonly permissionsBoundary?: string;
  /**
   * The bucket that the setting releaseBucket names; left out, it is the stack's own. Of a deployer and the service role, the bucket
   * of `outrigger package` too.
   */
  readonly bucket?: string;
}

/** The IAM policy document for a kind of person, for one deployment. */
export function policyFor(kind: PolicyKind, place: Place, options: PolicyOptions = {}): JsonObject {
  const { roleArn, forRole = false, permissionsBoundary, bucket } = options;
  if (forRole && kind === "deployer") return policy(serviceRoleStatements(place, permissionsBoundary, bucket));
  if (forRole && roleArn !== undefined) {
    // The role that a registrar assumes is in the cluster's account.
    const clusters = `arn:${place.partition}:eks:*:${roleArn.split(":")[4] ?? ""}:cluster/*`;
    return policy([statement("FindClusters", "eks", "DescribeCluster", clusters)]);
  }
  return policy(STATEMENTS[kind](place, options));
}

function policy(Statement: readonly JsonObject[]): JsonObject {
  return { Version: "2012-10-17", Statement };
}

const STATEMENTS: Readonly<Record<PolicyKind, (place: Place, options: PolicyOptions) => readonly JsonObject[]>> = {
  deployer: (place, options) => [
    ...deployerStatements(place, options.roleArn, options.bucket),
    // The bucket with a name may be that of `outrigger package`, and releases in the stack's own.
    ...seeReleases(place, undefined),
    ...(options.bucket === undefined ? [] : seeReleases(place, options.bucket)),
  ],
  editor: editorStatements,
  publisher: publisherStatements,
  registrar: registrarStatements,
  oncall: onCallStatements,
};

const READ = "GetParameter GetParameters GetParametersByPath GetParameterHistory";

/** Parameters of a deployment; a path is a resource in addition to the parameters below it. */
function parameters(place: Place, ...names: readonly string[]): readonly string[] {
  return names.map((name) => arnIn(place)("ssm", `parameter/outrigger/${place.stage}/${name}`));
}

const both = (...paths: readonly string[]) => paths.flatMap((path) => [path, `${path}/*`]);

function named(place: Place, service: string, resource: string): string {
  return arnIn(place)(service, `${resource}outrigger-${place.stage}-`);
}

/** CloudWatch lists alarms by a prefix only for callers that may describe every alarm of the account and Region. */
function everyAlarm(place: Place): string {
  return arnIn(place)("cloudwatch", "alarm:*");
}

function logGroups(place: Place): readonly string[] {
  const { stage } = place;
  const names = [`/aws/lambda/outrigger-${stage}-*`, `/aws/vendedlogs/outrigger/${stage}/*`];
  return names.map((name) => arnIn(place)("logs", `log-group:${name}`));
}

function stackOf(place: Place): string {
  return arnIn(place)("cloudformation", `stack/outrigger-${place.stage}/*`);
}

/** The rights to list and read releases and snapshots in a bucket: the stack's own, or one with a name. */
function seeReleases(place: Place, bucket: string | undefined): readonly JsonObject[] {
  const { partition, account, stage } = place;
  const objects = `outrigger/${stage}/objects/*`;
  const listed = { StringLike: { "s3:prefix": objects } };
  if (bucket !== undefined) {
    const arn = `arn:${partition}:s3:::${bucket}`;
    return [
      statement("SeeNamedReleases", "s3", "GetObject", `${arn}/${objects}`),
      { ...statement("ListNamedReleases", "s3", "ListBucket", arn), Condition: listed },
    ];
  }
  const arn = generatedBucket(place, "releasebucket");
  // Anybody may have a bucket whose name begins so.
  const own = { "aws:ResourceAccount": account };
  return [
    statement("SeeReleases", "s3", "GetObject", `${arn}/${objects}`, own),
    { ...statement("ListReleases", "s3", "ListBucket", arn), Condition: { StringEquals: own, ...listed } },
  ];
}

function editorStatements(place: Place, options: PolicyOptions): readonly JsonObject[] {
  const edit = `${READ} PutParameter DeleteParameter DeleteParameters LabelParameterVersion UnlabelParameterVersion`;
  const served = [...both("channels"), "serve/*"];
  return [
    statement("Edit", "ssm", edit, parameters(place, ...both("source"))),
    statement("SeeWhatIsServed", "ssm", READ, parameters(place, ...served)),
    ...seeReleases(place, options.bucket),
    statement("SeeGuardrails", "lambda", "GetFunctionConfiguration", `${named(place, "lambda", "function:")}publish`),
    statement("List", "ssm", "DescribeParameters", "*"),
  ];
}

/**
 * Returns the statements of a publisher, with what `outrigger rollout status` reads. A rollout names alarms of any
 * name; metrics have no resources.
 */
function publisherStatements(place: Place, options: PolicyOptions): readonly JsonObject[] {
  return [
    ...channelStatements(place, options),
    statement("SeeAlarms", "cloudwatch", "DescribeAlarms", everyAlarm(place)),
    statement("CountPods", "cloudwatch", "GetMetricData", "*"),
  ];
}

/** The rights to ask the publisher, and to see everything. */
function channelStatements(place: Place, options: PolicyOptions): readonly JsonObject[] {
  const names = [...both("source", "channels", "clusters"), "serve/*"];
  return [
    statement("AskThePublisher", "lambda", "InvokeFunction", `${named(place, "lambda", "function:")}publish`),
    statement("See", "ssm", READ, parameters(place, ...names)),
    ...seeReleases(place, options.bucket),
  ];
}

function registrarStatements(place: Place, options: PolicyOptions): readonly JsonObject[] {
  const { roleArn } = options;
  const alarms = named(place, "cloudwatch", "alarm:");
  return [
    ...channelStatements(place, options),
    statement("FindClusters", "eks", "DescribeCluster", `arn:${place.partition}:eks:*:${place.account}:cluster/*`),
    statement("WatchForCalls", "cloudwatch", "PutMetricAlarm DeleteAlarms", `${alarms}no-calls-*`),
    statement("SeeAlarms", "cloudwatch", "DescribeAlarms", everyAlarm(place)),
    statement("SeeFunctions", "lambda", "GetFunctionConfiguration", `${named(place, "lambda", "function:")}*`),
    statement("SeeLogs", "logs", "DescribeMetricFilters", logGroups(place)),
    statement("CountCalls", "cloudwatch", "GetMetricData", "*"),
    statement("FindTheWebhook", "cloudformation", "DescribeStacks", stackOf(place)),
    ...(roleArn === undefined ? [] : [statement("EnterTheAccount", "sts", "AssumeRole", roleArn)]),
  ];
}

/**
 * Returns the statements for what docs/operations.md asks a person on call to look at and to do, beyond moving
 * channels.
 */
function onCallStatements(place: Place, options: PolicyOptions): readonly JsonObject[] {
  const { partition, region, account, stage } = place;
  const arn = arnIn(place);
  const groups = logGroups(place);
  const lambdas = named(place, "lambda", "function:");
  const dashboards = `arn:${partition}:cloudwatch::${account}:dashboard/outrigger-${stage}-*`;
  const queue = "GetQueueUrl GetQueueAttributes ReceiveMessage PurgeQueue";
  const restore = "CreateLogGroup PutRetentionPolicy PutMetricFilter DescribeMetricFilters";
  const throughput = arn("ssm", "servicesetting/ssm/parameter-store/high-throughput-enabled");
  return [
    ...channelStatements(place, options),
    // Nothing else makes a log group again that was deleted, nor its filters.
    statement("RestoreLogs", "logs", restore, groups),
    statement("ReadLogs", "logs", "StartQuery FilterLogEvents GetLogEvents DescribeLogStreams", groups),
    statement("ReadQueries", "logs", "GetQueryResults StopQuery DescribeLogGroups", "*"),
    statement("SeeAlarms", "cloudwatch", "DescribeAlarms DescribeAlarmHistory", everyAlarm(place)),
    statement("NotifyAgain", "cloudwatch", "EnableAlarmActions", `${named(place, "cloudwatch", "alarm:")}*`),
    statement("SeeDashboard", "cloudwatch", "GetDashboard", dashboards),
    statement("SeeMetrics", "cloudwatch", "GetMetricData GetMetricStatistics ListMetrics", "*"),
    statement("SeeFunctions", "lambda", "GetFunctionConfiguration GetFunctionConcurrency", `${lambdas}*`),
    statement("RaiseReservation", "lambda", "PutFunctionConcurrency", `${lambdas}inject`),
    // Dead letters of a deployment with a key of its own.
    statement("ReadEncrypted", "kms", "Decrypt", arn("kms", "key/*"), {
      "kms:ViaService": `sqs.${region}.${partitionOf(region).domain}`,
    }),
    statement("SeeQuotas", "lambda", "GetAccountSettings", "*"),
    statement("RunTheCanary", "lambda", "InvokeFunction", `${lambdas}canary`),
    statement("SeeCertificates", "acm", "DescribeCertificate", arn("acm", "certificate/*")),
    statement("DeadLetters", "sqs", queue, `${named(place, "sqs", "")}publish-dead-letters`),
    statement("SeeStack", "cloudformation", "DescribeStacks DescribeStackEvents", stackOf(place)),
    statement("HigherThroughput", "ssm", "GetServiceSetting UpdateServiceSetting", throughput),
  ];
}

/** Characters without white space that a managed policy may have. */
const LIMIT = 6144;

/** The statements of a policy in as few documents, in order, as are below IAM's limit for a managed policy. */
export function splitPolicy(policy: JsonObject): readonly JsonObject[] {
  const { Statement } = policy;
  const statements = Array.isArray(Statement) ? Statement.filter(isObject) : [];
  const parts: JsonObject[][] = [[]];
  for (const statement of statements) {
    const last = parts.at(-1) ?? [];
    const fits = JSON.stringify({ ...policy, Statement: [...last, statement] }).length <= LIMIT;
    if (fits || last.length === 0) last.push(statement);
    else parts.push([statement]);
  }
  return parts.map((part) => ({ ...policy, Statement: part }));
}
