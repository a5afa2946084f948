// The commands of the AWS CLI in a text, and the calls that each makes, as IAM sees them.
import type { IamCall } from "./evaluate-policy.ts";

export const PLACE = { partition: "aws", region: "eu-west-1", account: "123456789012", stage: "prod" };
export const SERVICE_ROLE = "arn:aws:iam::123456789012:role/outrigger-cloudformation";

export interface PrintedCommand {
  /** The service and operation, such as `cloudformation delete-stack`. */
  readonly name: string;
  readonly words: string;
}

/** `$NAME` and `${…}` are what a reader fills in; a stage is prod. */
export function printedCommands(
  text: string,
  filled: Readonly<Record<string, string>> = {},
): readonly PrintedCommand[] {
  const plain = Object.entries({ ...FILLED, ...filled }).reduce(
    (all, [from, to]) => all.replaceAll(from, to),
    text.replaceAll(/\\\n\s*/g, " "),
  );
  return [...plain.matchAll(/\baws ([a-z][a-z0-9]+) ([a-z]+(?:-[a-z]+)*)\b([^`\n|;)]*)/g)].map(
    ([, service = "", verb = "", words = ""]) => ({ name: `${service} ${verb}`, words }),
  );
}

const FILLED = {
  "/aws/lambda/outrigger-$OUTRIGGER_STAGE-$1": "/aws/lambda/outrigger-prod-inject",
  $OUTRIGGER_STAGE: "prod",
  "outrigger-STAGE-": "outrigger-prod-",
  "/outrigger/dev/": "/outrigger/prod/",
  '"$1"': "/aws/lambda/outrigger-prod-inject",
  '"$access"': "/aws/vendedlogs/outrigger/prod/access",
  '"$CERTIFICATE"': "arn:aws:acm:eu-west-1:123456789012:certificate/1",
} as const;

/**
 * Returns the calls of a command, or undefined for one that is not known here.
 *
 * @param role of the stack: what `--role-arn` names
 */
export function callsOf({ name, words }: PrintedCommand, role?: string): readonly IamCall[] | undefined {
  return CALLS[name]?.((option) => new RegExp(`--${option}s? ["']?([^\\s"',]+)`).exec(words)?.[1] ?? "", words, role);
}

type Option = (name: string) => string;

const arn = (service: string, resource: string) => `arn:aws:${service}:eu-west-1:123456789012:${resource}`;
const any = (action: string) => () => [{ action, resource: "*" }];
const onStack =
  (...actions: readonly string[]) =>
  (option: Option, _words: string, role?: string) =>
    actions.map((action) => ({
      action: `cloudformation:${action}`,
      resource: arn("cloudformation", `stack/${option("stack-name")}/1a2b`),
      context: role === undefined ? {} : { "cloudformation:RoleArn": role },
    }));
const onFunction = (action: string) => (option: Option) => [
  { action: `lambda:${action}`, resource: arn("lambda", `function:${option("function-name")}`) },
];
const onLogGroup = (action: string) => (option: Option, words: string) => [
  {
    action: `logs:${action}`,
    resource: arn("logs", `log-group:${option("log-group-name") || words.trim().split(" ")[0]}`),
  },
];
const onParameter = (action: string) => (option: Option) => [
  { action: `ssm:${action}`, resource: arn("ssm", `parameter${option("name") || option("path")}`) },
];
const onQueue = (action: string) => () => [
  { action: `sqs:${action}`, resource: arn("sqs", "outrigger-prod-publish-dead-letters") },
];
const stageArn = (option: Option) =>
  `arn:aws:apigateway:eu-west-1::/apis/${option("api-id")}/stages/${option("stage-name")}`;
const putObjects = (bucket: string, prefix: string) =>
  ["PutObject", "GetObject"].map((action) => ({
    action: `s3:${action}`,
    resource: `arn:aws:s3:::${bucket}/${prefix}1a2b.template`,
  }));

const CALLS: Readonly<Record<string, (option: Option, words: string, role: string | undefined) => readonly IamCall[]>> =
  {
    "acm describe-certificate": (option) => [
      { action: "acm:DescribeCertificate", resource: option("certificate-arn") },
    ],
    "apigatewayv2 delete-route-settings": (option) => [
      { action: "apigateway:DELETE", resource: `${stageArn(option)}/routesettings/1` },
    ],
    "apigatewayv2 update-stage": (option) => [{ action: "apigateway:PATCH", resource: stageArn(option) }],
    "cloudformation continue-update-rollback": onStack("ContinueUpdateRollback"),
    "cloudformation create-change-set": onStack("CreateChangeSet"),
    "cloudformation delete-stack": onStack("DeleteStack"),
    "cloudformation deploy": (option, words, role) => [
      ...onStack(
        "DescribeStacks",
        "CreateChangeSet",
        "DescribeChangeSet",
        "ExecuteChangeSet",
        "TagResource",
      )(option, words, role),
      ...putObjects(option("s3-bucket"), option("s3-prefix") && `${option("s3-prefix")}/`),
    ],
    "cloudformation describe-change-set": onStack("DescribeChangeSet"),
    "cloudformation describe-stack-events": onStack("DescribeStackEvents"),
    "cloudformation execute-change-set": onStack("ExecuteChangeSet"),
    "cloudformation rollback-stack": onStack("RollbackStack"),
    "cloudformation wait": onStack("DescribeChangeSet"),
    "cloudwatch enable-alarm-actions": (option) => [
      { action: "cloudwatch:EnableAlarmActions", resource: arn("cloudwatch", `alarm:${option("alarm-name")}`) },
    ],
    "eks describe-cluster": (option) => [
      { action: "eks:DescribeCluster", resource: arn("eks", `cluster/${option("name")}`) },
    ],
    "lambda get-account-settings": any("lambda:GetAccountSettings"),
    "lambda get-function-concurrency": onFunction("GetFunctionConcurrency"),
    "lambda invoke": onFunction("InvokeFunction"),
    "lambda put-function-concurrency": onFunction("PutFunctionConcurrency"),
    "logs create-log-group": onLogGroup("CreateLogGroup"),
    "logs describe-log-groups": any("logs:DescribeLogGroups"),
    "logs describe-metric-filters": onLogGroup("DescribeMetricFilters"),
    "logs get-query-results": any("logs:GetQueryResults"),
    "logs put-metric-filter": onLogGroup("PutMetricFilter"),
    "logs put-retention-policy": onLogGroup("PutRetentionPolicy"),
    "logs start-query": onLogGroup("StartQuery"),
    "logs tail": onLogGroup("FilterLogEvents"),
    "s3 cp": (_option, words) => {
      const [, bucket = "", prefix = ""] = /s3:\/\/([^/]+)\/(\S*)/.exec(words) ?? [];
      return putObjects(bucket, prefix).slice(0, 1);
    },
    "sqs get-queue-url": onQueue("GetQueueUrl"),
    "sqs purge-queue": onQueue("PurgeQueue"),
    "sqs receive-message": onQueue("ReceiveMessage"),
    "ssm delete-parameter": onParameter("DeleteParameter"),
    // The names come from the command before it on the page.
    "ssm delete-parameters": () => [
      { action: "ssm:DeleteParameters", resource: arn("ssm", "parameter/outrigger/prod/source/values/50-mine") },
    ],
    "ssm get-parameter": onParameter("GetParameter"),
    "ssm get-parameter-history": onParameter("GetParameterHistory"),
    "ssm get-parameters-by-path": onParameter("GetParametersByPath"),
    "ssm put-parameter": onParameter("PutParameter"),
    "ssm unlabel-parameter-version": onParameter("UnlabelParameterVersion"),
    "ssm update-service-setting": (option) => [
      { action: "ssm:UpdateServiceSetting", resource: arn("ssm", `servicesetting${option("setting-id")}`) },
    ],
  };
