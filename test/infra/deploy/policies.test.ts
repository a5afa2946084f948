// What deploys: the policies that `outrigger print policy deployer` prints, evaluated by moto on the calls that CloudFormation's
// handlers make for every variant. Those of the deploy command are recorded in emulator.test.ts.
import { policyFor, splitPolicy } from "@outrigger/aws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findMoto } from "../../support/moto-server.ts";
import { type IamCall, type PolicyEvaluator, startPolicyEvaluator } from "../support/evaluate-policy.ts";
import { handlerCalls } from "../support/handler-calls.ts";
import { goldenTemplate } from "../support/template.ts";
import { VARIANTS } from "../support/variants.ts";

const moto = findMoto();
const WHERE = { region: "eu-west-1", account: "123456789012" };
const BOUNDARY = "arn:aws:iam::123456789012:policy/boundary";
const STAGES = ["prod", "Prod", "a-stage-of-19-letter", "x".repeat(32)];
const variants = VARIANTS.filter(({ region }) => region === undefined);

const roleOf = (stage: string, permissionsBoundary?: string) =>
  policyFor(
    "deployer",
    { partition: "aws", ...WHERE, stage },
    { forRole: true, ...(permissionsBoundary ? { permissionsBoundary } : {}) },
  );

/** The calls of all variants, and CloudFormation's reading of the functions' code. */
function callsFor(stage: string): readonly IamCall[] {
  const made = variants.flatMap(({ name }) =>
    handlerCalls(goldenTemplate(name), { ...WHERE, stage, boundary: BOUNDARY }),
  );
  const bucket = made.find(({ action, resource }) => action === "s3:CreateBucket" && resource.includes("serverless"));
  const keys = new Map(made.map((call) => [JSON.stringify(call), call]));
  return [
    ...keys.values(),
    { action: "s3:GetObject", resource: `${bucket?.resource}/serverless/outrigger/x/inject.zip` },
  ];
}

describe.skipIf(moto.lacking !== undefined)(
  `the policy of CloudFormation's service role (${moto.lacking ?? "moto"})`,
  () => {
    let evaluator: PolicyEvaluator;
    beforeAll(() => {
      evaluator = startPolicyEvaluator(moto.python);
    });
    afterAll(() => evaluator.end());

    it.each(STAGES)("%s: allows every call of every handler, and nothing that no call needs", async (stage) => {
      const calls = callsFor(stage);
      expect(calls.length).toBeGreaterThan(300);
      expect(await evaluator.evaluate(roleOf(stage), calls)).toEqual({ denied: [], needless: [] });
    });

    it("reaches no resource of the stage prod-b from prod, where resources have names", async () => {
      const others = callsFor("prod-b").filter(({ resource }) => /prod-b/.test(resource));
      expect(others.length).toBeGreaterThan(250);
      const { denied } = await evaluator.evaluate(roleOf("prod"), others);
      expect(denied).toEqual([...new Set(others.map(({ action, resource }) => `${action} ${resource}`))].sort());
    });

    it("makes roles under the boundary only, attaches one policy, and passes roles to two services", async () => {
      const role = (id: string) => `arn:aws:iam::123456789012:role/outrigger-prod-${id}-1A2B3C4D5E6F`;
      const ask = (action: string, id: string, context: Readonly<Record<string, string>>) => ({
        action,
        resource: role(id),
        context,
      });
      const push = "arn:aws:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs";
      const other = { "iam:PermissionsBoundary": "arn:aws:iam::123456789012:policy/other" };
      const wrong = [
        ask("iam:CreateRole", "InjectRole", other),
        ask("iam:PutRolePolicy", "InjectRole", other),
        ask("iam:PutRolePermissionsBoundary", "InjectRole", other),
        ask("iam:DeleteRolePermissionsBoundary", "InjectRole", { "iam:PermissionsBoundary": BOUNDARY }),
        ask("iam:AttachRolePolicy", "InjectRole", { "iam:PermissionsBoundary": BOUNDARY, "iam:PolicyARN": push }),
        ask("iam:AttachRolePolicy", "GatewayLogRole", {
          "iam:PermissionsBoundary": BOUNDARY,
          "iam:PolicyARN": "arn:aws:iam::aws:policy/AdministratorAccess",
        }),
        ask("iam:PassRole", "InjectRole", { "iam:PassedToService": "ec2.amazonaws.com" }),
        ask("iam:PassRole", "GatewayLogRole", { "iam:PassedToService": "lambda.amazonaws.com" }),
      ];
      expect((await evaluator.evaluate(roleOf("prod", BOUNDARY), wrong)).denied).toHaveLength(
        new Set(wrong.map(({ action, resource }) => action + resource)).size,
      );
      const bounded = callsFor("prod").filter(({ action }) => action !== "iam:DeleteRolePermissionsBoundary");
      expect(await evaluator.evaluate(roleOf("prod", BOUNDARY), bounded)).toEqual({ denied: [], needless: [] });
    });
  },
);

describe("splitPolicy()", () => {
  it.each(STAGES)("%s: gives parts that IAM takes, with every statement once", (stage) => {
    for (const policy of [
      roleOf(stage, BOUNDARY),
      policyFor("deployer", { partition: "aws-us-gov", ...WHERE, stage }, {}),
    ]) {
      const parts = splitPolicy(policy);
      for (const part of parts) expect(JSON.stringify(part).length).toBeLessThanOrEqual(6144);
      expect(parts.flatMap(({ Statement }) => Statement)).toEqual(policy["Statement"]);
    }
  });
});
