// What a deploy may do. CloudFormation: all that makes, changes and removes the resources of a stage, the permissions of its
// handlers for the types in the template, on the names of this stage. The deployer: what the deploy command and its framework call
// themselves. Pure. test/infra/deploy/policies.test.ts evaluates both on recorded calls.
import type { JsonObject } from "@outrigger/base";
import { arnIn, generatedBucket, generatedName, type Place, policyArns, stackNames, statement } from "./stack-names.ts";

/** The longest names that IAM and EventBridge take. */
const LONGEST = { role: 64, rule: 64 };
const TAGS = "TagResource UntagResource ListTagsForResource";

/** The rights of CloudFormation. With a permissions boundary, roles are made and changed under this boundary only. */
export function serviceRoleStatements(place: Place, boundary?: string, artifacts?: string): readonly JsonObject[] {
  return [
    ...functionStatements(place),
    ...roleStatements(place, boundary),
    ...apiStatements(place),
    ...observingStatements(place),
    ...eventStatements(place),
    ...bucketStatements(place, artifacts),
  ];
}

function functionStatements(place: Place): readonly JsonObject[] {
  const arn = arnIn(place);
  const named = (name: string) => arn("lambda", `function:outrigger-${place.stage}-${name}`);
  const actions = `CreateFunction DeleteFunction GetFunction UpdateFunctionCode UpdateFunctionConfiguration
    GetFunctionConfiguration GetFunctionCodeSigningConfig GetFunctionRecursionConfig GetFunctionScalingConfig
    GetRuntimeManagementConfig PutFunctionConcurrency DeleteFunctionConcurrency PublishVersion ListVersionsByFunction
    AddPermission RemovePermission GetPolicy PutFunctionEventInvokeConfig UpdateFunctionEventInvokeConfig
    DeleteFunctionEventInvokeConfig GetFunctionEventInvokeConfig TagResource UntagResource
    CreateAlias DeleteAlias GetAlias UpdateAlias`;
  const warm = "PutProvisionedConcurrencyConfig GetProvisionedConcurrencyConfig DeleteProvisionedConcurrencyConfig";
  const network = "DescribeSecurityGroups DescribeSubnets DescribeVpcs DescribeNetworkInterfaces";
  return [
    statement("Functions", "lambda", actions, [...stackNames.functions.map(named), `${named("inject")}:*`]),
    statement("Warm", "lambda", warm, [`${named("inject")}:live`, `${named("publish")}:deploy-hook`]),
    // The entry point for CloudFormation's events, which nobody else may invoke.
    statement("Hook", "lambda", "InvokeFunction", `${named("publish")}:deploy-hook`),
    // The network of a private API's canary.
    statement("Network", "ec2", network, "*"),
  ];
}

/** Roles are passed to two services; a role is attached one policy of AWS's, and none besides. */
function roleStatements(place: Place, boundary: string | undefined): readonly JsonObject[] {
  const { partition, account, stage } = place;
  const role = (id: string) => `arn:${partition}:iam::${account}:role/${generatedName(stage, id, LONGEST.role)}`;
  const roles = ["InjectRole", "PublishRole", "RegisterRole", "CanaryRole"].map(role);
  const gateway = role("GatewayLogRole");
  const bound: Record<string, string> = boundary === undefined ? {} : { "iam:PermissionsBoundary": boundary };
  const pushLogs = `arn:${partition}:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs`;
  const passed = (service: string) => ({ "iam:PassedToService": `${service}.amazonaws.com` });
  const change = `DeleteRole GetRole GetRolePolicy ListRolePolicies ListAttachedRolePolicies UpdateRole
    UpdateRoleDescription UpdateAssumeRolePolicy TagRole UntagRole`;
  const unbound = boundary === undefined ? " DeleteRolePermissionsBoundary" : "";
  const grant = "CreateRole PutRolePolicy DeleteRolePolicy PutRolePermissionsBoundary";
  const policies = `CreatePolicy DeletePolicy GetPolicy ListEntitiesForPolicy CreatePolicyVersion DeletePolicyVersion
    GetPolicyVersion ListPolicyVersions`;
  return [
    statement("Roles", "iam", change + unbound, [...roles, gateway]),
    statement("Grant", "iam", grant, [...roles, gateway], bound),
    statement("Attach", "iam", "AttachRolePolicy DetachRolePolicy", gateway, { ...bound, "iam:PolicyARN": pushLogs }),
    statement("PassToLambda", "iam", "PassRole", roles, passed("lambda")),
    statement("PassToGateway", "iam", "PassRole", gateway, passed("apigateway")),
    statement("Policies", "iam", policies, policyArns(place)),
  ];
}

/** APIs have no name in their ARNs; resources of API Gateway are paths without an account. */
function apiStatements({ partition, region, account }: Place): readonly JsonObject[] {
  const path = (text: string) => `arn:${partition}:apigateway:${region}::/${text}`;
  const trees = ["apis", "restapis", "domainnames"].flatMap((name) => [path(name), path(`${name}/*`)]);
  const domains = `arn:${partition}:iam::${account}:role/aws-service-role/ops.apigateway.amazonaws.com/*`;
  const delivery = `CreateLogDelivery GetLogDelivery UpdateLogDelivery DeleteLogDelivery ListLogDeliveries
    PutResourcePolicy DescribeResourcePolicies DescribeLogGroups`;
  return [
    statement("Apis", "apigateway", "GET POST PUT PATCH DELETE", [...trees, path("tags/*")]),
    statement("ApiPolicy", "apigateway", "UpdateRestApiPolicy", [path("restapis"), path("restapis/*")]),
    statement("ApiAccount", "apigateway", "GET PATCH", path("account")),
    // The gateway's access log; the service has no resources for deliveries.
    statement("LogDelivery", "logs", delivery, "*"),
    statement("Domains", "iam", "CreateServiceLinkedRole", domains),
  ];
}

function observingStatements(place: Place): readonly JsonObject[] {
  const { partition, region, account, stage } = place;
  const arn = arnIn(place);
  const groups = stackNames.logGroups(stage).map((name) => arn("logs", `log-group:${name}`));
  // CloudWatch Logs names a group with `:*` at its end, except where it is tagged.
  const inLogs = groups.map((group) => `${group}:*`);
  const alarm = (name: string) => arn("cloudwatch", `alarm:outrigger-${stage}-${name}`);
  const alarms = [...stackNames.alarms, ...Object.values(stackNames.alarmOf)].map(alarm);
  const dashboard = `arn:${partition}:cloudwatch::${account}:dashboard/outrigger-${stage}-${region}`;
  const logs = `CreateLogGroup DeleteLogGroup PutRetentionPolicy AssociateKmsKey DisassociateKmsKey
    GetDataProtectionPolicy PutMetricFilter DeleteMetricFilter DescribeMetricFilters`;
  return [
    statement("Alarms", "cloudwatch", `PutMetricAlarm DeleteAlarms ${TAGS}`, alarms),
    statement("SeeAlarms", "cloudwatch", "DescribeAlarms", arn("cloudwatch", "alarm:*")),
    statement("Dashboard", "cloudwatch", "PutDashboard DeleteDashboards GetDashboard", dashboard),
    statement("Logs", "logs", logs, inLogs),
    statement("TagLogs", "logs", TAGS, groups),
  ];
}

function eventStatements(place: Place): readonly JsonObject[] {
  const arn = arnIn(place);
  const { stage } = place;
  const named = ["edits", "reconcile", "rollouts"].map((name) => `outrigger-${stage}-${name}`);
  const made = [1, 2].map((at) => generatedName(stage, `CanaryEventsRuleSchedule${at}`, LONGEST.rule));
  const rules = [...named, ...made].map((name) => arn("events", `rule/${name}`));
  const rule = `PutRule DeleteRule DescribeRule PutTargets RemoveTargets ListTargetsByRule ${TAGS}`;
  const topic = `CreateTopic DeleteTopic GetTopicAttributes SetTopicAttributes Subscribe ListSubscriptionsByTopic
    GetDataProtectionPolicy ${TAGS}`;
  const queue = `CreateQueue DeleteQueue GetQueueUrl GetQueueAttributes SetQueueAttributes
    TagQueue UntagQueue ListQueueTags`;
  return [
    statement("Rules", "events", rule, rules),
    statement("Topic", "sns", topic, arn("sns", `outrigger-${stage}-alarms`)),
    // SNS has no resource for it.
    statement("Unsubscribe", "sns", "Unsubscribe", "*"),
    statement("Queue", "sqs", queue, arn("sqs", `outrigger-${stage}-publish-dead-letters`)),
  ];
}

function bucketStatements(place: Place, own: string | undefined): readonly JsonObject[] {
  const artifacts = artifactBucket(place);
  // The handler reads every setting of a bucket, used or not.
  const actions = `CreateBucket DeleteBucket ListBucket PutEncryptionConfiguration PutBucketPublicAccessBlock
    PutBucketTagging PutBucketOwnershipControls PutBucketVersioning PutLifecycleConfiguration
    PutBucketPolicy DeleteBucketPolicy GetBucket* Get*Configuration`;
  const code = own === undefined ? [] : ownArtifacts(place, own);
  return [
    statement("Buckets", "s3", actions, [artifacts, generatedBucket(place, "releasebucket")]),
    statement("Code", "s3", "GetObject", [`${artifacts}/*`, ...code]),
  ];
}

/**
 * Returns the calls that `outrigger deploy` and `undeploy` of a stage make themselves. With a service role, a stack is
 * changed with this role only, and the role goes to CloudFormation only.
 *
 * @param artifacts the bucket of `outrigger package`, where the deployer uses one
 */
export function deployerStatements(place: Place, serviceRole?: string, artifacts?: string): readonly JsonObject[] {
  const { partition, region, stage } = place;
  const arn = arnIn(place);
  const stack = arn("cloudformation", `stack/outrigger-${stage}/*`);
  const bucket = artifactBucket(place);
  const parameters = (...names: readonly string[]) =>
    names.map((name) => arn("ssm", `parameter/outrigger/${stage}/${name}`));
  const functions = stackNames.functions.map((name) => arn("lambda", `function:outrigger-${stage}-${name}`));
  const noCalls = arn("cloudwatch", `alarm:outrigger-${stage}-no-calls-*`);
  const change = "CreateStack UpdateStack DeleteStack CreateChangeSet";
  // docs/failed-deploy.md. A rollback is in the role that the stack has: PassServiceRole bounds any other.
  const failed = "DescribeChangeSet ExecuteChangeSet ContinueUpdateRollback RollbackStack";
  const see = "DescribeStacks DescribeStackEvents DescribeStackResource ListStackResources GetTemplate TagResource";
  const upload = "PutObject GetObject AbortMultipartUpload";
  const withRole: Record<string, string> = serviceRole === undefined ? {} : { "cloudformation:RoleArn": serviceRole };
  const passed = { "iam:PassedToService": "cloudformation.amazonaws.com" };
  return [
    statement("ChangeStack", "cloudformation", change, stack, withRole),
    ...(serviceRole === undefined ? [] : [statement("PassServiceRole", "iam", "PassRole", serviceRole, passed)]),
    statement("Stack", "cloudformation", `${see} ${failed}`, stack),
    statement("Validate", "cloudformation", "ValidateTemplate", "*"),
    statement("ListArtifacts", "s3", "ListBucket", bucket),
    statement("Artifacts", "s3", "PutObject GetObject DeleteObject AbortMultipartUpload", `${bucket}/*`),
    ...(artifacts === undefined ? [] : [statement("OwnArtifacts", "s3", upload, ownArtifacts(place, artifacts))]),
    // Whether code has changed since the last deploy, and which guardrails it has.
    statement("SeeFunctions", "lambda", "GetFunction GetFunctionConfiguration", functions),
    // docs/deploy.md: how many containers an account may have
    statement("SeeQuotas", "lambda", "GetAccountSettings", "*"),
    // docs/endpoint.md: written again under another key
    statement("RenewCanaryToken", "ssm", "DeleteParameter", parameters("canary/token")),
    // outrigger deploy --dry-run
    statement("SeeWhatIsServed", "ssm", "GetParameters", parameters("serve/*")),
    statement("SeeEdits", "ssm", "GetParametersByPath", parameters("source", "source/*", "channels", "channels/*")),
    // By a prefix, CloudWatch lists alarms only for callers that may describe every alarm.
    statement("SeeAlarms", "cloudwatch", "DescribeAlarms", arn("cloudwatch", "alarm:*")),
    statement("ClusterAlarms", "cloudwatch", "PutMetricAlarm", noCalls),
    // Throttles of a cluster's routes, before the routes go, and again if they stay. An API has no name in its ARN.
    statement("Routes", "apigateway", "GET DELETE PATCH", `arn:${partition}:apigateway:${region}::/apis/*/stages/*`),
    // Before a removal: who still has one of the stage's policies.
    statement("SeeAttached", "iam", "ListEntitiesForPolicy", policyArns(place)),
  ];
}

/**
 * Returns the objects that `outrigger package` and then `aws cloudformation deploy` upload: no release, if one bucket
 * has both.
 */
function ownArtifacts({ partition }: Place, bucket: string): readonly string[] {
  return ["zip", "json", "template"].map((end) => `arn:${partition}:s3:::${bucket}/outrigger/*.${end}`);
}

/** The bucket in which the framework keeps artifacts. */
function artifactBucket(place: Place): string {
  return generatedBucket(place, "serverlessdeploymentbucket");
}
