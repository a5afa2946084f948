import { describe, expect, it } from "vitest";
import { attachedPolicies } from "./attached-policies.ts";
import type { AwsRequest } from "./aws-request.ts";

const policy = (name: string) => `arn:aws:iam::123456789012:policy/outrigger-dev-eu-west-1-${name}`;

function account(attached: Readonly<Record<string, object>>): AwsRequest {
  return async (operation, input) => {
    if (operation === "iam:ListEntitiesForPolicy") return attached[input["PolicyArn"] ?? ""] ?? {};
    return {
      StackResourceSummaries: [
        { ResourceType: "AWS::Lambda::Function", PhysicalResourceId: "outrigger-dev-inject" },
        { ResourceType: "AWS::IAM::ManagedPolicy", PhysicalResourceId: policy("template-editors") },
        { ResourceType: "AWS::IAM::ManagedPolicy", PhysicalResourceId: policy("channel-movers") },
        { ResourceType: "AWS::IAM::ManagedPolicy" },
      ],
    };
  };
}

describe("attachedPolicies()", () => {
  it("names who has a policy, and the command that detaches it", async () => {
    const attached = {
      [policy("template-editors")]: { PolicyRoles: [{ RoleName: "editors" }], PolicyUsers: [{ UserName: "ann" }] },
      [policy("channel-movers")]: { PolicyGroups: [{ GroupName: "movers" }] },
    };
    const problems = await attachedPolicies(account(attached), "outrigger-dev");
    expect(problems).toHaveLength(3);
    expect(problems[0]).toBe(
      `Cannot remove the stack: the role editors has its policy outrigger-dev-eu-west-1-template-editors. Detach it first: aws iam detach-role-policy --role-name editors --policy-arn ${policy("template-editors")}`,
    );
    expect(problems[1]).toContain("detach-user-policy --user-name ann");
    expect(problems[2]).toContain("detach-group-policy --group-name movers");
  });

  it("finds nothing where no policy is attached", async () => {
    expect(await attachedPolicies(account({}), "outrigger-dev")).toEqual([]);
  });
});
