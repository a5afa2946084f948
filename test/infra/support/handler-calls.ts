// The calls that CloudFormation makes for a template: each resource's handler permissions, as AWS's schemas have them
// (test/infra/facts/handlers.json), on the names that its resources have.
import { readFileSync } from "node:fs";
import type { JsonObject } from "@outrigger/base";
import type { IamCall } from "./evaluate-policy.ts";
import type { Template, TemplateResource } from "./template.ts";

/** The account and Region in which the calls are made, and the stage, which takes the place of the templates' `dev`. */
export interface StackPlace {
  readonly region: string;
  readonly account: string;
  readonly stage: string;
  readonly boundary: string;
}

const { handlers } = JSON.parse(readFileSync("test/infra/facts/handlers.json", "utf8")) as {
  readonly handlers: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

const lambda = (...verbs: readonly string[]) => verbs.map((verb) => `lambda:${verb}`);
const warm = lambda(...["Put", "Get", "Delete"].map((verb) => `${verb}ProvisionedConcurrencyConfig`));
const gatewayMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => `apigateway:${method}`);
const tags = (service: string) => ["TagResource", "UntagResource", "ListTagsForResource"].map((a) => `${service}:${a}`);
const policy = ["CreatePolicy", "DeletePolicy", "GetPolicy", "ListEntitiesForPolicy", "CreatePolicyVersion"];

/** Types whose schema is not there: the operations of the service's API that make, read, change and remove them. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  "AWS::ApiGatewayV2::Api": gatewayMethods,
  "AWS::ApiGatewayV2::ApiMapping": gatewayMethods,
  "AWS::ApiGatewayV2::DomainName": [...gatewayMethods, "iam:CreateServiceLinkedRole"],
  "AWS::ApiGatewayV2::Integration": gatewayMethods,
  "AWS::ApiGatewayV2::Route": gatewayMethods,
  "AWS::ApiGatewayV2::Stage": [
    ...gatewayMethods,
    ...["Create", "Get", "Update", "Delete"].map((verb) => `logs:${verb}LogDelivery`),
    ...["logs:ListLogDeliveries", "logs:PutResourcePolicy", "logs:DescribeResourcePolicies"],
  ],
  "AWS::CloudWatch::Alarm": [
    ...["PutMetricAlarm", "DeleteAlarms", "DescribeAlarms"].map((name) => `cloudwatch:${name}`),
    ...tags("cloudwatch"),
  ],
  "AWS::CloudWatch::Dashboard": ["cloudwatch:PutDashboard", "cloudwatch:DeleteDashboards", "cloudwatch:GetDashboard"],
  "AWS::Events::Rule": [
    ...["PutRule", "DeleteRule", "DescribeRule", "PutTargets", "RemoveTargets", "ListTargetsByRule"].map(
      (name) => `events:${name}`,
    ),
    ...tags("events"),
  ],
  "AWS::IAM::ManagedPolicy": [...policy, "DeletePolicyVersion", "GetPolicyVersion", "ListPolicyVersions"].map(
    (name) => `iam:${name}`,
  ),
  "AWS::Lambda::Alias": [...lambda("CreateAlias", "DeleteAlias", "GetAlias", "UpdateAlias"), ...warm],
  "AWS::Lambda::EventInvokeConfig": lambda(
    ...["Put", "Update", "Delete", "Get"].map((verb) => `${verb}FunctionEventInvokeConfig`),
  ),
  "AWS::Lambda::Permission": lambda("AddPermission", "RemovePermission", "GetPolicy"),
  "AWS::Lambda::Version": lambda(
    ...["PublishVersion", "ListVersionsByFunction", "GetFunctionConfiguration", "DeleteFunction"],
  ),
  "AWS::Logs::MetricFilter": ["PutMetricFilter", "DeleteMetricFilter", "DescribeMetricFilters"].map((a) => `logs:${a}`),
  "AWS::S3::BucketPolicy": ["s3:GetBucketPolicy", "s3:PutBucketPolicy", "s3:DeleteBucketPolicy"],
  "Custom::OutriggerCheck": ["lambda:InvokeFunction"],
  "Custom::OutriggerPublication": ["lambda:InvokeFunction"],
};

/**
 * The calls that a handler's schema lacks and its properties need: tags of log groups by the newer calls, policies of
 * S3 and roles.
 */
const MORE: Readonly<Record<string, readonly string[]>> = {
  "AWS::Logs::LogGroup": tags("logs"),
  "AWS::IAM::Role": ["iam:CreateRole", "iam:DeleteRole", "iam:GetRole"],
  "AWS::SQS::QueuePolicy": ["sqs:GetQueueAttributes"],
};

/** Permissions of properties that no template has: code signing, layers, file systems, CORS, data protection and the like. */
const UNUSED = new RegExp(
  [
    "^(elasticfilesystem|firehose|s3tables|kms):",
    "^lambda:(.*CodeSigningConfig|GetLayerVersion|Put(Runtime|FunctionRec|FunctionScal)\\w+|PassCapacityProvider)$",
    "^logs:(.*DataProtectionPolicy|(Tag|Untag|ListTags)LogGroup|DeleteRetentionPolicy)$",
    "^sns:PutDataProtectionPolicy$",
    "^s3:(REST\\.|Put(?!EncryptionC|BucketPublic|BucketTagging|BucketOwn|BucketVersioning|LifecycleC)|Delete(?!Bucket$)|.*Metadata|TagR|UntagR|ListTags)",
    "^s3:GetObject(Version)?$",
  ].join("|"),
);
/** Matches the calls that a read handler makes whatever the properties are. */
const READ = /^(lambda:GetFunctionCodeSigningConfig|logs:GetDataProtectionPolicy)$/;

/** Every call for a template. */
export function handlerCalls({ Resources }: Template, place: StackPlace): readonly IamCall[] {
  return Object.entries(Resources).flatMap(([id, resource]) => {
    const { Type } = resource;
    const ofSchema = Object.values(handlers[Type] ?? {}).flatMap((text) => text.split(" "));
    const used = ofSchema.filter((action) => READ.test(action) || !UNUSED.test(action));
    const permissions = [...used, ...(MORE[Type] ?? []), ...(OTHERS[Type] ?? [])];
    if (permissions.length === 0) throw new Error(`What CloudFormation calls for ${Type} is not known`);
    const called = new Set(permissions.filter((action) => action !== ""));
    return [...called].flatMap((action) => callsOf(action.replace(/^S3:/, "s3:"), id, resource, place));
  });
}

function callsOf(action: string, id: string, resource: TemplateResource, place: StackPlace): readonly IamCall[] {
  const [service = ""] = action.split(":");
  const { region, account, stage, boundary } = place;
  const arn = (rest: string) => `arn:aws:${service}:${region}:${account}:${rest}`;
  const named = (property: string) => nameIn(resource, property, stage);
  const on = (...resources: readonly string[]) => resources.map((name) => ({ action, resource: name }));
  if (NO_RESOURCE.test(action)) return on("*");
  if (action === "iam:PassRole") return passed(id, resource, place);
  if (action === "iam:CreateServiceLinkedRole")
    return on(`arn:aws:iam::${account}:role/aws-service-role/ops.apigateway.amazonaws.com/AWSServiceRoleForAPIGateway`);
  if (action === "iam:GetRole" && resource.Type !== "AWS::IAM::Role") return on(roleArn("GatewayLogRole", place));
  if (service === "iam" && resource.Type === "AWS::IAM::Role") {
    const attached = { action, resource: roleArn(id, place), context: { "iam:PermissionsBoundary": boundary } };
    if (!/^iam:(At|De)tachRolePolicy$/.test(action)) return [attached];
    const policies = (resource.Properties?.["ManagedPolicyArns"] ?? []) as readonly unknown[];
    return policies.map(() => ({ ...attached, context: { ...attached.context, "iam:PolicyARN": PUSH_LOGS } }));
  }
  if (service === "iam")
    return on(`arn:aws:iam::${account}:policy/${named("ManagedPolicyName").replace(/\$\{AWS::Region\}/, region)}`);
  if (service === "lambda") return on(...functionArns(action, id, resource, arn(`function:outrigger-${stage}-`)));
  if (service === "apigateway")
    return on(...gatewayPaths(action, resource.Type).map((path) => `arn:aws:apigateway:${region}::${path}`));
  if (service === "logs") {
    const group = arn(`log-group:${named("LogGroupName") || `/aws/vendedlogs/outrigger/${stage}/access`}`);
    return on(/Resource$/.test(action) ? group : `${group}:*`);
  }
  // By a prefix or a name, CloudWatch asks for every alarm.
  if (action === "cloudwatch:DescribeAlarms") return on(arn("alarm:*"));
  if (resource.Type === "AWS::CloudWatch::Dashboard")
    return on(
      `arn:aws:cloudwatch::${account}:dashboard/${named("DashboardName").replace(/\$\{AWS::Region\}/, region)}`,
    );
  if (service === "cloudwatch") return on(arn(`alarm:${named("AlarmName")}`));
  if (service === "events") return on(arn(`rule/${named("Name") || generated(stage, id, 64)}`));
  if (service === "sns") return on(arn(named("TopicName")));
  if (service === "sqs") return on(arn(named("QueueName") || `outrigger-${stage}-publish-dead-letters`));
  if (service === "s3") {
    const bucket = resource.Type === "AWS::S3::Bucket" ? id : id.replace(/Policy$/, "");
    return on(`arn:aws:s3:::${generated(stage, bucket, 63).toLowerCase()}`);
  }
  throw new Error(`On what CloudFormation calls ${action} for ${resource.Type} is not known`);
}

const PUSH_LOGS = "arn:aws:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs";

/** Actions for which the service has no resources. SNS names an unsubscription's topic nowhere. */
const NO_RESOURCE =
  /^(ec2:|logs:(\w*LogDeliver(y|ies)|PutResourcePolicy|Describe(ResourcePolicies|LogGroups))$|sns:Unsubscribe$)/;

function nameIn({ Properties = {} }: TemplateResource, property: string, stage: string): string {
  const value = Properties[property];
  const text = typeof value === "string" ? value : String((value as JsonObject | undefined)?.["Fn::Sub"] ?? "");
  return text.replace("outrigger-dev", `outrigger-${stage}`).replace("/outrigger/dev/", `/outrigger/${stage}/`);
}

/** A name that CloudFormation generates: both parts are cut to 24 characters where the name would be too long. */
function generated(stage: string, id: string, limit: number): string {
  const [stack, end] = [`outrigger-${stage}`, "1A2B3C4D5E6F"];
  const whole = `${stack}-${id}-${end}`;
  return whole.length < limit ? whole : `${stack.slice(0, 24)}-${id.slice(0, 24)}-${end}`;
}

function roleArn(id: string, { account, stage }: StackPlace): string {
  return `arn:aws:iam::${account}:role/${generated(stage, id, 64)}`;
}

/** The roles that a resource names, passed to the service that uses them. */
function passed(id: string, { Type, Properties }: TemplateResource, place: StackPlace): readonly IamCall[] {
  const services: Readonly<Record<string, string>> = {
    "AWS::Lambda::Function": "lambda.amazonaws.com",
    "AWS::ApiGateway::Account": "apigateway.amazonaws.com",
  };
  const service = services[Type];
  if (service === undefined) return [];
  const role = /\b(\w+Role)\b/.exec(JSON.stringify(Properties?.["Role"] ?? Properties?.["CloudWatchRoleArn"]))?.[1];
  if (role === undefined) throw new Error(`${id} has no role`);
  return [{ action: "iam:PassRole", resource: roleArn(role, place), context: { "iam:PassedToService": service } }];
}

function functionArns(
  action: string,
  id: string,
  { Type, Properties = {} }: TemplateResource,
  prefix: string,
): readonly string[] {
  if (action === "lambda:InvokeFunction") return [`${prefix}publish:deploy-hook`];
  const subject = Type === "AWS::Lambda::Function" ? id : JSON.stringify(Properties["FunctionName"]);
  const name = /(Inject|Publish|Register|Canary)/.exec(subject)?.[1]?.toLowerCase();
  if (name === undefined) throw new Error(`Which function ${id} names is not known`);
  if (/ProvisionedConcurrency/.test(action)) {
    // The handler asks for the warm containers of every alias, and changes those of one that has them.
    const alias = String(Properties["Name"]);
    return alias === "live" || /Get/.test(action) ? [`${prefix}${name}:${alias}`] : [];
  }
  // A version is read and deleted by its number, a permission of an alias is added to the alias.
  const isQualified = Type === "AWS::Lambda::Version" && /Get|Delete/.test(action);
  return isQualified ? [`${prefix}${name}:7`] : [`${prefix}${name}`];
}

/** Paths of one resource of a type and of the list that it is made in, with its tags. */
function gatewayPaths(action: string, type: string): readonly string[] {
  const [, service = "", noun = ""] = type.split("::");
  if (noun === "Account") return ["/account"];
  const root = { ApiMapping: "/domainnames", DomainName: "/domainnames" }[noun];
  const list = root ?? (service === "ApiGatewayV2" ? "/apis" : "/restapis");
  const paths = [list, `${list}/a1b2c3`];
  if (/UpdateRestApiPolicy/.test(action)) return paths;
  return [...paths, "/tags/arn%3Aaws%3Aapigateway%3Aeu-west-1%3A%3A%2Fapis%2Fa1b2c3"];
}
