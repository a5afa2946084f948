// What CloudFormation says of a deployment's stack: its state, and where its webhook answers. Reads only.

import { type CloudFormationClient, DescribeStacksCommand, type Stack } from "@aws-sdk/client-cloudformation";
import { GetFunctionConfigurationCommand, type LambdaClient } from "@aws-sdk/client-lambda";
import { awsFailure } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";

export interface StackClients {
  readonly cloudFormation: CloudFormationClient;
  readonly lambda: LambdaClient;
  readonly region: string;
}

export interface StackFacts {
  /** `outrigger-prod`, unless a StackSet has named it. */
  readonly name: string;
  /** `UPDATE_COMPLETE` */
  readonly status: string;
  readonly url?: string;
  /** The role with which CloudFormation changes it, where it has one. */
  readonly serviceRole?: string;
  /** When CloudFormation last looked for drift and found some, as ISO 8601. */
  readonly drifted?: string;
}

/** The stack of a deployment, or undefined where there is none. */
export async function readStack(
  { cloudFormation, lambda, region }: StackClients,
  deployment: string,
): Promise<StackFacts | undefined> {
  const usual = `outrigger-${deployment}`;
  const stack = (await stackOfFunction(lambda, `${usual}-publish`)) ?? usual;
  try {
    const { Stacks } = await cloudFormation.send(new DescribeStacksCommand({ StackName: stack }));
    const found: Partial<Stack> = Stacks?.[0] ?? {};
    const { StackName: name = usual, StackStatus: status = "unknown" } = found;
    const { RoleARN: serviceRole, Outputs, DriftInformation } = found;
    const url = Outputs?.find(({ OutputKey }) => OutputKey === "Url")?.OutputValue;
    const { StackDriftStatus, LastCheckTimestamp } = DriftInformation ?? {};
    const drifted = StackDriftStatus === "DRIFTED" ? (LastCheckTimestamp?.toISOString() ?? "") : undefined;
    return { name, status, ...defined({ url, drifted, serviceRole }) };
  } catch (cause) {
    if (cause instanceof Error && cause.name === "ValidationError") return undefined;
    return awsFailure({ doing: `read stack "${stack}"`, action: "cloudformation:DescribeStacks", region })(cause);
  }
}

/** The function has the ARN of its stack, whatever the stack is called; undefined where it cannot be asked. */
async function stackOfFunction(client: LambdaClient, name: string): Promise<string | undefined> {
  const asked = client.send(new GetFunctionConfigurationCommand({ FunctionName: name }));
  const { Environment } = await asked.catch(() => ({ Environment: undefined }));
  return Environment?.Variables?.["OUTRIGGER_STACK"];
}

/**
 * The webhook's base URL, from the outputs of the deployment's stack: `https://….execute-api.eu-west-1.amazonaws.com`.
 *
 * @param deployment its stage: `prod`
 * @throws OutriggerError `aws-unavailable` where there is no stack with that output, or `aws-denied`
 */
export async function findWebhookUrl(clients: StackClients, deployment: string): Promise<string> {
  const url = (await readStack(clients, deployment))?.url;
  if (url !== undefined) return url;
  const stack = `outrigger-${deployment}`;
  const message = `There is no stack "${stack}" with the webhook's URL in ${clients.region}: deploy first (outrigger deploy --stage ${deployment}), or give the URL with --url`;
  throw new OutriggerError("aws-unavailable", message, { path: stack });
}
