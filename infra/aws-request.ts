// The calls of AWS that a deploy makes besides the framework's own. The SDK is loaded with the first call: packaging
// needs none of it.
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";

/** A call by its service and operation, as AWS names them. */
export type AwsRequest = (operation: AwsOperation, input: Input) => Promise<unknown>;

export type AwsOperation = keyof typeof OPERATIONS;

/** Calls with the configuration of an SDK client, asked for once. */
export function awsRequest(configuration: () => Promise<object>): AwsRequest {
  return async (operation, input) =>
    OPERATIONS[operation]({ ...(await configuration()), requestHandler: LIMITS }, input);
}

/** The answer about a stack; undefined where there is no stack. */
export function ofStack<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
    throw error;
  });
}

/** Milliseconds; without the last, the SDK only writes a warning when time is over. */
const LIMITS = { connectionTimeout: 5000, requestTimeout: 30_000, throwOnRequestTimeout: true };

type Input = Readonly<Record<string, string>>;

const OPERATIONS = {
  "sts:GetCallerIdentity": async (config: object) => {
    const { STSClient, GetCallerIdentityCommand } = await import("@aws-sdk/client-sts");
    return new STSClient(config).send(new GetCallerIdentityCommand({}));
  },
  "cloudformation:GetTemplate": async (config: object, { StackName }: Input) => {
    const { CloudFormationClient, GetTemplateCommand } = await import("@aws-sdk/client-cloudformation");
    return new CloudFormationClient(config).send(new GetTemplateCommand({ StackName, TemplateStage: "Original" }));
  },
  /** Every page of the list, as one: `{ StackResourceSummaries }`. */
  "cloudformation:ListStackResources": async (config: object, { StackName }: Input) => {
    const { CloudFormationClient, paginateListStackResources } = await import("@aws-sdk/client-cloudformation");
    const pages = paginateListStackResources({ client: new CloudFormationClient(config) }, { StackName });
    const summaries: unknown[] = [];
    for await (const page of pages) summaries.push(...(page.StackResourceSummaries ?? []));
    return { StackResourceSummaries: summaries };
  },
  "iam:ListEntitiesForPolicy": async (config: object, { PolicyArn }: Input) => {
    const { IAMClient, ListEntitiesForPolicyCommand } = await import("@aws-sdk/client-iam");
    return new IAMClient(config).send(new ListEntitiesForPolicyCommand({ PolicyArn }));
  },
  /** Every page of the alarms whose names begin with a prefix, as one: `{ MetricAlarms }`. */
  "cloudwatch:DescribeAlarms": async (config: object, { AlarmNamePrefix }: Input) => {
    const { CloudWatchClient, paginateDescribeAlarms } = await import("@aws-sdk/client-cloudwatch");
    const pages = paginateDescribeAlarms({ client: new CloudWatchClient(config) }, { AlarmNamePrefix });
    const alarms: unknown[] = [];
    for await (const page of pages) alarms.push(...(page.MetricAlarms ?? []));
    return { MetricAlarms: alarms };
  },
  /** The alarm is one that DescribeAlarms returned, as JSON text, with other actions. */
  "cloudwatch:PutMetricAlarm": async (config: object, { Alarm = "{}" }: Input) => {
    const { CloudWatchClient, PutMetricAlarmCommand } = await import("@aws-sdk/client-cloudwatch");
    return new CloudWatchClient(config).send(new PutMetricAlarmCommand(JSON.parse(Alarm)));
  },
  "apigateway:GetStage": async (config: object, { ApiId, StageName }: Input) => {
    const { ApiGatewayV2Client, GetStageCommand } = await import("@aws-sdk/client-apigatewayv2");
    return new ApiGatewayV2Client(config).send(new GetStageCommand({ ApiId, StageName }));
  },
  "apigateway:DeleteRouteSettings": async (config: object, { ApiId, StageName, RouteKey }: Input) => {
    const { ApiGatewayV2Client, DeleteRouteSettingsCommand } = await import("@aws-sdk/client-apigatewayv2");
    return new ApiGatewayV2Client(config).send(new DeleteRouteSettingsCommand({ ApiId, StageName, RouteKey }));
  },
  /** The settings are those of all routes, as JSON text. */
  "apigateway:UpdateStage": async (config: object, { ApiId, StageName, RouteSettings = "{}" }: Input) => {
    const { ApiGatewayV2Client, UpdateStageCommand } = await import("@aws-sdk/client-apigatewayv2");
    const input = { ApiId, StageName, RouteSettings: JSON.parse(RouteSettings) };
    return new ApiGatewayV2Client(config).send(new UpdateStageCommand(input));
  },
} as const;

/** The resources of a stack, as CloudFormation lists them. */
export async function resourcesOf(request: AwsRequest, StackName: string): Promise<readonly JsonObject[]> {
  return objectsIn(await request("cloudformation:ListStackResources", { StackName }), "StackResourceSummaries");
}

/** The objects of a list in an answer. */
export function objectsIn(value: unknown, key: string): readonly JsonObject[] {
  return objectsOf(objectOf(value)[key]);
}
