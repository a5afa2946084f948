// Attachments of a stack's policies, which CloudFormation does not know: they keep the stack from being removed.
import { textOf } from "@outrigger/base";
import { type AwsRequest, objectsIn, resourcesOf } from "./aws-request.ts";

/**
 * Returns why the stack cannot be removed: IAM deletes no policy that is attached. It is one sentence for each
 * attachment, with the command that detaches it.
 */
export async function attachedPolicies(request: AwsRequest, stackName: string): Promise<readonly string[]> {
  const policies = (await resourcesOf(request, stackName))
    .filter(({ ResourceType }) => ResourceType === "AWS::IAM::ManagedPolicy")
    .flatMap(({ PhysicalResourceId }) => textOf(PhysicalResourceId) ?? []);
  const problems: string[] = [];
  for (const PolicyArn of policies) {
    const entities = await request("iam:ListEntitiesForPolicy", { PolicyArn });
    for (const [kind, list, key] of KINDS) {
      const names = objectsIn(entities, list).map((entity) => String(entity[key]));
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
