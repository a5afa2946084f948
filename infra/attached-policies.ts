// The check before a removal: IAM does not delete a policy that is attached, and CloudFormation would find out when the
// functions and everything derived are gone already.
import { objectOf, objectsOf } from "@outrigger/base";
import type { AwsRequest } from "./aws-request.ts";

/** Why the stack cannot be removed: one sentence for each attachment, with the command that detaches it. */
export async function attachedPolicies(request: AwsRequest, stackName: string): Promise<readonly string[]> {
  const stack = await request("cloudformation:ListStackResources", { StackName: stackName });
  const policies = listIn(stack, "StackResourceSummaries").flatMap((summary) => {
    const { ResourceType, PhysicalResourceId } = summary;
    return ResourceType === "AWS::IAM::ManagedPolicy" && typeof PhysicalResourceId === "string"
      ? [PhysicalResourceId]
      : [];
  });
  const problems: string[] = [];
  for (const PolicyArn of policies) {
    const entities = await request("iam:ListEntitiesForPolicy", { PolicyArn });
    for (const [kind, list, key] of KINDS) {
      const names = listIn(entities, list).map((entity) => String(entity[key]));
      problems.push(...names.map((name) => sentence(PolicyArn, kind, name)));
    }
  }
  return problems;
}

const KINDS = [
  ["role", "PolicyRoles", "RoleName"],
  ["user", "PolicyUsers", "UserName"],
  ["group", "PolicyGroups", "GroupName"],
] as const;

function sentence(arn: string, kind: string, name: string): string {
  const command = `aws iam detach-${kind}-policy --${kind}-name ${name} --policy-arn ${arn}`;
  return `Cannot remove the stack: the ${kind} ${name} has its policy ${arn.split("/").at(-1)}. Detach it first: ${command}`;
}

function listIn(value: unknown, key: string): readonly Readonly<Record<string, unknown>>[] {
  return objectsOf(objectOf(value)[key]);
}
