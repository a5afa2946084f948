// What CloudFormation calls to make, change and remove the resources of a stage: the permissions of its handlers for the types
// in the template, on the names of this stage. Pure. test/infra/deploy/policies.test.ts evaluates it on these calls.
import type { JsonObject } from "@outrigger/base";
import { artifactBucket, ownArtifacts } from "./deployer-policy.ts";
import { generatedName, type Place, stackNames, statement } from "./stack-names.ts";

/** The longest names that IAM and EventBridge take, and S3. */
const LONGEST = { role: 64, rule: 64, bucket: 63 };
const TAGS = ["TagResource", "UntagResource", "ListTagsForResource"];

/** The statements. With a permissions boundary, roles are made and changed under this boundary only. */
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

function arnIn({ partition, region, account }: Place): (service: string, resource: string) => string {
  return (service, resource) => `arn:${partition}:${service}:${region}:${account}:${resource}`;
}

function functionStatements(place: Place): readonly JsonObject[] {
  const arn = arnIn(place);
  const named = (name: string) => arn("lambda", `function:outrigger-${place.stage}-${name}`);
  const verbs = (noun: string) => ["Create", "Delete", "Get", "Update"].map((verb) => `${verb}${noun}`);
  const actions = [
    ...["CreateFunction", "DeleteFunction", "GetFunction", "UpdateFunctionCode", "UpdateFunctionConfiguration"],
    ...["GetFunctionConfiguration", "GetFunctionCodeSigningConfig", "GetFunctionRecursionConfig"],
    ...[
      "GetFunctionScalingConfig",
      "GetRuntimeManagementConfig",
      "PutFunctionConcurrency",
      "DeleteFunctionConcurrency",
    ],
    ...["PublishVersion", "ListVersionsByFunction", "AddPermission", "RemovePermission", "GetPolicy"],
    ...["PutFunctionEventInvokeConfig", "UpdateFunctionEventInvokeConfig", "DeleteFunctionEventInvokeConfig"],
    ...["GetFunctionEventInvokeConfig", "TagResource", "UntagResource", ...verbs("Alias")],
  ];
  const warm = ["Put", "Get", "Delete"].map((verb) => `${verb}ProvisionedConcurrencyConfig`);
  return [
    statement("Functions", "lambda", actions, [...stackNames.functions.map(named), `${named("inject")}:*`]),
    statement("Warm", "lambda", warm, [`${named("inject")}:live`, `${named("publish")}:deploy-hook`]),
    // The entry point for CloudFormation's events, which nobody else may invoke.
    statement("Hook", "lambda", ["InvokeFunction"], [`${named("publish")}:deploy-hook`]),
    // The network of a private API's canary.
    statement(
      "Network",
      "ec2",
      ["DescribeSecurityGroups", "DescribeSubnets", "DescribeVpcs", "DescribeNetworkInterfaces"],
      ["*"],
    ),
  ];
}

/** Roles are passed to two services; a role is attached one policy of AWS's, and none besides. */
function roleStatements(place: Place, boundary: string | undefined): readonly JsonObject[] {
  const { partition, region, account, stage } = place;
  const iam = (resource: string) => `arn:${partition}:iam::${account}:${resource}`;
  const role = (id: string) => iam(`role/${generatedName(stage, id, LONGEST.role)}`);
  const roles = ["InjectRole", "PublishRole", "RegisterRole", "CanaryRole"].map(role);
  const gateway = role("GatewayLogRole");
  const bound = boundary === undefined ? {} : { "iam:PermissionsBoundary": boundary };
  const pushLogs = `arn:${partition}:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs`;
  return [
    statement(
      "Roles",
      "iam",
      [
        ...["DeleteRole", "GetRole", "GetRolePolicy", "ListRolePolicies", "ListAttachedRolePolicies", "UpdateRole"],
        ...["UpdateRoleDescription", "UpdateAssumeRolePolicy", "TagRole", "UntagRole"],
        ...(boundary === undefined ? ["DeleteRolePermissionsBoundary"] : []),
      ],
      [...roles, gateway],
    ),
    statement(
      "Grant",
      "iam",
      ["CreateRole", "PutRolePolicy", "DeleteRolePolicy", "PutRolePermissionsBoundary"],
      [...roles, gateway],
      bound,
    ),
    statement("Attach", "iam", ["AttachRolePolicy", "DetachRolePolicy"], [gateway], {
      ...bound,
      "iam:PolicyARN": pushLogs,
    }),
    statement("PassToLambda", "iam", ["PassRole"], roles, { "iam:PassedToService": "lambda.amazonaws.com" }),
    statement("PassToGateway", "iam", ["PassRole"], [gateway], { "iam:PassedToService": "apigateway.amazonaws.com" }),
    statement(
      "Policies",
      "iam",
      [
        ...["CreatePolicy", "DeletePolicy", "GetPolicy", "ListEntitiesForPolicy", "CreatePolicyVersion"],
        ...["DeletePolicyVersion", "GetPolicyVersion", "ListPolicyVersions"],
      ],
      ["template-editors", "channel-movers", "cluster-registrars"].map((name) =>
        iam(`policy/outrigger-${stage}-${region}-${name}`),
      ),
    ),
  ];
}

/** APIs have no name in their ARNs; resources of API Gateway are paths without an account. */
function apiStatements({ partition, region, account }: Place): readonly JsonObject[] {
  const path = (text: string) => `arn:${partition}:apigateway:${region}::/${text}`;
  const trees = ["apis", "restapis", "domainnames"].flatMap((name) => [path(name), path(`${name}/*`)]);
  const delivery = ["Create", "Get", "Update", "Delete"].map((verb) => `${verb}LogDelivery`);
  return [
    statement("Apis", "apigateway", ["GET", "POST", "PUT", "PATCH", "DELETE"], [...trees, path("tags/*")]),
    statement("ApiPolicy", "apigateway", ["UpdateRestApiPolicy"], [path("restapis"), path("restapis/*")]),
    statement("ApiAccount", "apigateway", ["GET", "PATCH"], [path("account")]),
    // The gateway's access log; the service has no resources for deliveries.
    statement(
      "LogDelivery",
      "logs",
      [...delivery, "ListLogDeliveries", "PutResourcePolicy", "DescribeResourcePolicies", "DescribeLogGroups"],
      ["*"],
    ),
    statement(
      "Domains",
      "iam",
      ["CreateServiceLinkedRole"],
      [`arn:${partition}:iam::${account}:role/aws-service-role/ops.apigateway.amazonaws.com/*`],
    ),
  ];
}

function observingStatements(place: Place): readonly JsonObject[] {
  const { partition, region, account, stage } = place;
  const arn = arnIn(place);
  const groups = stackNames.logGroups(stage).map((name) => arn("logs", `log-group:${name}`));
  const alarm = (name: string) => arn("cloudwatch", `alarm:${name}`);
  return [
    statement(
      "Alarms",
      "cloudwatch",
      ["PutMetricAlarm", "DeleteAlarms", ...TAGS],
      // The last is of a domain's certificate.
      [...stackNames.alarms, "certificate"].map((name) => alarm(`outrigger-${stage}-${name}`)),
    ),
    statement("SeeAlarms", "cloudwatch", ["DescribeAlarms"], [alarm("*")]),
    statement(
      "Dashboard",
      "cloudwatch",
      ["PutDashboard", "DeleteDashboards", "GetDashboard"],
      [`arn:${partition}:cloudwatch::${account}:dashboard/outrigger-${stage}-${region}`],
    ),
    // CloudWatch Logs names a group with `:*` at its end, except where it is tagged.
    statement(
      "Logs",
      "logs",
      [
        ...["CreateLogGroup", "DeleteLogGroup", "PutRetentionPolicy", "AssociateKmsKey", "DisassociateKmsKey"],
        ...["GetDataProtectionPolicy", "PutMetricFilter", "DeleteMetricFilter", "DescribeMetricFilters"],
      ],
      groups.map((group) => `${group}:*`),
    ),
    statement("TagLogs", "logs", TAGS, groups),
  ];
}

function eventStatements(place: Place): readonly JsonObject[] {
  const arn = arnIn(place);
  const { stage } = place;
  const rules = ["edits", "reconcile", "rollouts"].map((name) => `outrigger-${stage}-${name}`);
  for (const place of [1, 2]) rules.push(generatedName(stage, `CanaryEventsRuleSchedule${place}`, LONGEST.rule));
  return [
    statement(
      "Rules",
      "events",
      ["PutRule", "DeleteRule", "DescribeRule", "PutTargets", "RemoveTargets", "ListTargetsByRule", ...TAGS],
      rules.map((name) => arn("events", `rule/${name}`)),
    ),
    statement(
      "Topic",
      "sns",
      [
        ...["CreateTopic", "DeleteTopic", "GetTopicAttributes", "SetTopicAttributes", "Subscribe"],
        ...["ListSubscriptionsByTopic", "GetDataProtectionPolicy", ...TAGS],
      ],
      [arn("sns", `outrigger-${stage}-alarms`)],
    ),
    // SNS has no resource for it.
    statement("Unsubscribe", "sns", ["Unsubscribe"], ["*"]),
    statement(
      "Queue",
      "sqs",
      [
        ...["CreateQueue", "DeleteQueue", "GetQueueUrl", "GetQueueAttributes", "SetQueueAttributes"],
        ...["TagQueue", "UntagQueue", "ListQueueTags"],
      ],
      [arn("sqs", `outrigger-${stage}-publish-dead-letters`)],
    ),
  ];
}

function bucketStatements(place: Place, own: string | undefined): readonly JsonObject[] {
  const { partition, stage } = place;
  const artifacts = artifactBucket(place);
  const releases = generatedName(stage.toLowerCase(), "releasebucket", LONGEST.bucket);
  const settings = ["EncryptionConfiguration", "BucketPublicAccessBlock", "BucketTagging", "BucketOwnershipControls"];
  return [
    statement(
      "Buckets",
      "s3",
      [
        ...["CreateBucket", "DeleteBucket", "ListBucket", ...settings.map((name) => `Put${name}`)],
        ...["PutBucketPolicy", "DeleteBucketPolicy"],
        // The handler reads every setting of a bucket, used or not.
        ...["GetBucket*", "Get*Configuration"],
      ],
      [artifacts, `arn:${partition}:s3:::${releases}`],
    ),
    statement("Code", "s3", ["GetObject"], [`${artifacts}/*`, ...(own === undefined ? [] : ownArtifacts(place, own))]),
  ];
}
