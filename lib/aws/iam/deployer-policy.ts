// What deploying and removing a stage takes in IAM: for each type of resource in the template the actions of
// CloudFormation's handler, on names of this stage. Pure. test/infra/people-policies.test.ts compares it with the templates.
import type { JsonObject } from "@outrigger/base";
import { type Place, statement } from "./policy-statement.ts";

interface Need {
  /** After `<service>:`. */
  readonly actions: readonly string[];
  /** The service and resource of an ARN, with the Region and account between them: `lambda` `function:outrigger-dev-*`. */
  readonly on: (place: Place) => readonly string[];
}

const crud = (noun: string, ...more: readonly string[]) => [`Create${noun}`, `Delete${noun}`, `Get${noun}`, ...more];
const tags = ["TagResource", "UntagResource", "ListTagsForResource"];
const named =
  (service: string, resource: string) =>
  ({ partition, region, account, stage }: Place) => [
    `arn:${partition}:${service}:${region}:${account}:${resource}outrigger-${stage}-*`,
  ];
const everywhere = () => ["*"];
/** Resources of API Gateway are paths without an account. */
const gateway =
  (...paths: readonly string[]) =>
  ({ partition, region }: Place) =>
    paths.flatMap((path) => [
      `arn:${partition}:apigateway:${region}::${path}`,
      `arn:${partition}:apigateway:${region}::${path}/*`,
    ]);
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const functions = named("lambda", "function:");
const logGroups = ({ partition, region, account, stage }: Place) =>
  [`/aws/lambda/outrigger-${stage}-*`, `/aws/vendedlogs/outrigger/${stage}/*`].map(
    (name) => `arn:${partition}:logs:${region}:${account}:log-group:${name}`,
  );
const bucket = ({ partition, stage }: Place) =>
  ["serverlessdeployment", "releasebucket"].flatMap((name) =>
    ["", "/*"].map((end) => `arn:${partition}:s3:::outrigger-${stage}-${name}*${end}`),
  );
const http: Need = { actions: METHODS, on: gateway("/apis", "/tags") };
const rest: Need = { actions: METHODS, on: gateway("/restapis", "/tags") };
const roles = ({ partition, account, stage }: Place) => [`arn:${partition}:iam::${account}:role/outrigger-${stage}-*`];

/** Service and what is needed of it, by the type of resource. */
export const DEPLOYER_NEEDS: Readonly<Record<string, readonly [service: string, need: Need]>> = {
  "AWS::ApiGateway::Account": ["apigateway", { actions: ["GET", "PATCH"], on: gateway("/account") }],
  "AWS::ApiGateway::Deployment": ["apigateway", rest],
  "AWS::ApiGateway::Method": ["apigateway", rest],
  "AWS::ApiGateway::Resource": ["apigateway", rest],
  "AWS::ApiGateway::RestApi": ["apigateway", { ...rest, actions: [...METHODS, "UpdateRestApiPolicy"] }],
  "AWS::ApiGateway::Stage": ["apigateway", rest],
  "AWS::ApiGatewayV2::Api": ["apigateway", http],
  "AWS::ApiGatewayV2::ApiMapping": ["apigateway", { actions: METHODS, on: gateway("/domainnames") }],
  "AWS::ApiGatewayV2::DomainName": ["apigateway", { actions: METHODS, on: gateway("/domainnames") }],
  "AWS::ApiGatewayV2::Integration": ["apigateway", http],
  "AWS::ApiGatewayV2::Route": ["apigateway", http],
  "AWS::ApiGatewayV2::Stage": ["apigateway", http],
  "AWS::CloudWatch::Alarm": [
    "cloudwatch",
    { actions: ["PutMetricAlarm", "DeleteAlarms", "DescribeAlarms", ...tags], on: named("cloudwatch", "alarm:") },
  ],
  "AWS::CloudWatch::Dashboard": [
    "cloudwatch",
    {
      actions: ["PutDashboard", "DeleteDashboards", "GetDashboard"],
      on: ({ partition, account, stage }) => [`arn:${partition}:cloudwatch::${account}:dashboard/outrigger-${stage}-*`],
    },
  ],
  "AWS::Events::Rule": [
    "events",
    {
      actions: ["PutRule", "DeleteRule", "DescribeRule", "PutTargets", "RemoveTargets", "ListTargetsByRule", ...tags],
      on: named("events", "rule/"),
    },
  ],
  "AWS::IAM::ManagedPolicy": [
    "iam",
    {
      actions: [
        ...crud("Policy", "ListEntitiesForPolicy"),
        ...crud("PolicyVersion", "ListPolicyVersions"),
        "TagPolicy",
        "UntagPolicy",
      ],
      on: ({ partition, account, stage }) => [`arn:${partition}:iam::${account}:policy/outrigger-${stage}-*`],
    },
  ],
  "AWS::IAM::Role": [
    "iam",
    {
      actions: [
        ...crud("Role", "UpdateRole", "UpdateRoleDescription", "UpdateAssumeRolePolicy", "TagRole", "UntagRole"),
        ...["PutRolePolicy", "DeleteRolePolicy", "GetRolePolicy", "ListRolePolicies", "ListAttachedRolePolicies"],
        ...["AttachRolePolicy", "DetachRolePolicy", "PutRolePermissionsBoundary", "DeleteRolePermissionsBoundary"],
        "PassRole",
      ],
      on: roles,
    },
  ],
  "AWS::Lambda::Alias": [
    "lambda",
    { actions: [...crud("Alias", "UpdateAlias"), ...provisioned("Put", "Get", "Delete")], on: functions },
  ],
  "AWS::Lambda::EventInvokeConfig": [
    "lambda",
    { actions: ["Put", "Update", "Delete", "Get"].map((verb) => `${verb}FunctionEventInvokeConfig`), on: functions },
  ],
  "AWS::Lambda::Function": [
    "lambda",
    {
      actions: [
        ...crud("Function", "GetFunctionConfiguration", "UpdateFunctionCode", "UpdateFunctionConfiguration"),
        ...["PutFunctionConcurrency", "DeleteFunctionConcurrency", "GetFunctionCodeSigningConfig"],
        ...["GetFunctionRecursionConfig", "TagResource", "UntagResource", "ListTags"],
      ],
      on: functions,
    },
  ],
  "AWS::Lambda::Permission": ["lambda", { actions: ["AddPermission", "RemovePermission", "GetPolicy"], on: functions }],
  "AWS::Lambda::Version": [
    "lambda",
    { actions: ["PublishVersion", "ListVersionsByFunction", "GetFunction", "DeleteFunction"], on: functions },
  ],
  "AWS::Logs::LogGroup": [
    "logs",
    {
      actions: [
        "CreateLogGroup",
        "DeleteLogGroup",
        "PutRetentionPolicy",
        "AssociateKmsKey",
        "DisassociateKmsKey",
        ...tags,
      ],
      on: logGroups,
    },
  ],
  "AWS::Logs::MetricFilter": [
    "logs",
    { actions: ["PutMetricFilter", "DeleteMetricFilter", "DescribeMetricFilters"], on: logGroups },
  ],
  "AWS::S3::Bucket": [
    "s3",
    {
      actions: [
        ...[
          "CreateBucket",
          "DeleteBucket",
          "ListBucket",
          "ListBucketVersions",
          "GetBucketLocation",
          "PutBucketTagging",
        ],
        ...["PutEncryptionConfiguration", "GetEncryptionConfiguration", "PutBucketPublicAccessBlock"],
        ...["GetBucketPublicAccessBlock", "GetBucketTagging", "PutBucketVersioning", "GetBucketVersioning"],
        ...["PutBucketOwnershipControls", "GetBucketOwnershipControls"],
        ...["PutObject", "GetObject", "DeleteObject", "DeleteObjectVersion"],
      ],
      on: bucket,
    },
  ],
  "AWS::S3::BucketPolicy": [
    "s3",
    { actions: ["PutBucketPolicy", "GetBucketPolicy", "DeleteBucketPolicy"], on: bucket },
  ],
  "AWS::SNS::Topic": [
    "sns",
    {
      actions: [
        ...["CreateTopic", "DeleteTopic", "GetTopicAttributes", "SetTopicAttributes", "Subscribe", "Unsubscribe"],
        ...["ListSubscriptionsByTopic", "GetDataProtectionPolicy", ...tags],
      ],
      on: named("sns", ""),
    },
  ],
  "AWS::SQS::Queue": [
    "sqs",
    {
      actions: [
        ...["CreateQueue", "DeleteQueue", "GetQueueUrl", "GetQueueAttributes", "SetQueueAttributes"],
        ...["TagQueue", "UntagQueue", "ListQueueTags"],
      ],
      on: named("sqs", ""),
    },
  ],
  "AWS::SQS::QueuePolicy": ["sqs", { actions: ["SetQueueAttributes"], on: named("sqs", "") }],
  "Custom::OutriggerCheck": ["lambda", { actions: ["InvokeFunction"], on: hook }],
  "Custom::OutriggerPublication": ["lambda", { actions: ["InvokeFunction"], on: hook }],
};

function provisioned(...verbs: readonly string[]): readonly string[] {
  return verbs.map((verb) => `${verb}ProvisionedConcurrencyConfig`);
}

/** The entry point for CloudFormation's events, which nobody else may invoke. */
function hook({ partition, region, account, stage }: Place): readonly string[] {
  return [`arn:${partition}:lambda:${region}:${account}:function:outrigger-${stage}-publish:deploy-hook`];
}

/** What the deploy command itself does, and what services ask for without a resource. */
function ownNeeds({ partition, region, account, stage }: Place): readonly JsonObject[] {
  const stack = `arn:${partition}:cloudformation:${region}:${account}:stack/outrigger-${stage}/*`;
  const stackActions = ["CreateStack", "UpdateStack", "DeleteStack", "DescribeStacks", "DescribeStackEvents"];
  const more = ["DescribeStackResource", "DescribeStackResources", "ListStackResources", "GetTemplate", "TagResource"];
  const changes = ["CreateChangeSet", "DescribeChangeSet", "ExecuteChangeSet", "DeleteChangeSet", "SetStackPolicy"];
  const delivery = ["Create", "Get", "Update", "Delete"].map((verb) => `${verb}LogDelivery`);
  return [
    statement("Stack", "cloudformation", [...stackActions, ...more, ...changes], [stack]),
    statement("Templates", "cloudformation", ["ValidateTemplate", "ListExports"], everywhere()),
    // The gateway's access log.
    statement(
      "LogDelivery",
      "logs",
      [...delivery, "ListLogDeliveries", "PutResourcePolicy", "DescribeResourcePolicies", "DescribeLogGroups"],
      everywhere(),
    ),
    statement("Network", "ec2", ["DescribeSecurityGroups", "DescribeSubnets", "DescribeVpcs"], everywhere()),
    statement(
      "Domains",
      "iam",
      ["CreateServiceLinkedRole"],
      [`arn:${partition}:iam::${account}:role/aws-service-role/ops.apigateway.amazonaws.com/*`],
    ),
  ];
}

/** The statements: one for each set of resources of a service, its actions joined. */
export function deployerStatements(place: Place): readonly JsonObject[] {
  const needs = Object.values(DEPLOYER_NEEDS).map(([service, { actions, on }]) => ({
    service,
    actions,
    on: on(place),
  }));
  const keyOf = ({ service, on }: (typeof needs)[number]) => JSON.stringify([service, on]);
  const keys = [...new Set(needs.map(keyOf))];
  const joined = keys.map((key, index) => {
    const same = needs.filter((need) => keyOf(need) === key);
    const [{ service, on } = { service: "", on: [] }] = same;
    const actions = [...new Set(same.flatMap((need) => need.actions))].sort();
    return statement(`Make${index + 1}`, service, actions, on);
  });
  return [...ownNeeds(place), ...joined];
}
