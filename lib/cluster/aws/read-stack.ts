// What CloudFormation says of a deployment's stack. Reads only.
import { type CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { awsError } from "@outrigger/aws";
import { defined } from "@outrigger/base";

export interface StackFacts {
  /** `UPDATE_COMPLETE` */
  readonly status: string;
  readonly url?: string;
  /** When CloudFormation last looked for drift and found some, as ISO 8601. */
  readonly drifted?: string;
}

/** The stack, or undefined where there is none. */
export async function readStack(
  client: CloudFormationClient,
  stack: string,
  region: string,
): Promise<StackFacts | undefined> {
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    const url = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === "Url")?.OutputValue;
    const { StackDriftStatus, LastCheckTimestamp } = Stacks?.[0]?.DriftInformation ?? {};
    const drifted = StackDriftStatus === "DRIFTED" ? (LastCheckTimestamp?.toISOString() ?? "") : undefined;
    return { status: Stacks?.[0]?.StackStatus ?? "unknown", ...defined({ url, drifted }) };
  } catch (cause) {
    if (cause instanceof Error && cause.name === "ValidationError") return undefined;
    throw awsError(cause, { doing: `read stack "${stack}"`, action: "cloudformation:DescribeStacks", region });
  }
}
