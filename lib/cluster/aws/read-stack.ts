// What CloudFormation says of a deployment's stack. Reads only.
import { type CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { awsError } from "@outrigger/aws";
import { defined } from "@outrigger/base";

export interface StackFacts {
  /** `UPDATE_COMPLETE` */
  readonly status: string;
  readonly url?: string;
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
    return { status: Stacks?.[0]?.StackStatus ?? "unknown", ...defined({ url }) };
  } catch (cause) {
    if (cause instanceof Error && cause.name === "ValidationError") return undefined;
    throw awsError(cause, { doing: `read stack "${stack}"`, action: "cloudformation:DescribeStacks", region });
  }
}
