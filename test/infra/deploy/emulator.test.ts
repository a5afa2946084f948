// `serverless deploy` and `serverless remove` against moto, an emulator that others wrote: what it makes is compared with
// the template, and what it cannot make is listed here by name.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CloudFormationClient,
  DescribeStacksCommand,
  ListStackResourcesCommand,
  ListStacksCommand,
} from "@aws-sdk/client-cloudformation";
import { LambdaClient, ListFunctionsCommand } from "@aws-sdk/client-lambda";
import { policyFor } from "@outrigger/aws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { turnOf } from "../../support/in-turn.ts";
import { findMoto, type MotoServer, startMoto } from "../../support/moto-server.ts";
import { type IamCall, startPolicyEvaluator } from "../support/evaluate-policy.ts";
import { type Recorder, startRecorder } from "../support/recorded-calls.ts";
import {
  bareEnvironment,
  builtServiceDirectory,
  type CommandResult,
  runServerlessOften,
} from "../support/serverless.ts";
import { goldenTemplate } from "../support/template.ts";
import { variantWords } from "../support/variants.ts";

const moto = findMoto();

/** Types that moto 5.2 passes over in a template, or makes without listing them (a version). */
const NOT_EMULATED: Readonly<Record<string, readonly string[]>> = {
  http: [
    "AWS::ApiGatewayV2::Api",
    "AWS::ApiGatewayV2::Integration",
    "AWS::ApiGatewayV2::Route",
    "AWS::ApiGatewayV2::Stage",
  ],
  rest: ["AWS::ApiGateway::Account", "AWS::ApiGateway::Stage"],
  both: [
    "AWS::CloudWatch::Alarm",
    "AWS::Lambda::EventInvokeConfig",
    "AWS::Lambda::Version",
    "AWS::Logs::MetricFilter",
    "AWS::S3::BucketPolicy",
    "AWS::SQS::QueuePolicy",
  ],
};

/** What is deployed of each goes through the same plugin, which the framework calls in the same order, and so does an acceptance run. */
const VARIANTS: readonly (readonly [variant: string, parameters: readonly string[]])[] = [
  ["http", []],
  ["rest", ["api=rest", "sources=203.0.113.0/24,198.51.100.7/32", "clusters=shop-eu,shop_us"]],
];
const turn = turnOf("Deploys to an emulator, and acceptance runs", 4);
const inTurn = VARIANTS.filter((_, index) => turn.has(index));

describe.skipIf(moto.lacking !== undefined || inTurn.length === 0)(
  `serverless deploy and remove (${moto.lacking ?? "moto"})`,
  () => {
    let server: MotoServer;
    let recorder: Recorder;
    let home: string;
    /** The folder that is deployed from. That a clone gives the same is artifact.test.ts. */
    let built: string;
    let cloudFormation: CloudFormationClient;
    let lambda: LambdaClient;

    beforeAll(async () => {
      home = mkdtempSync(join(tmpdir(), "outrigger-deploy-"));
      built = builtServiceDirectory(home);
      server = await startMoto(moto.python, "test/infra/support/moto-with-aliases.py");
      recorder = await startRecorder(server.url);
      const credentials = { accessKeyId: "testing", secretAccessKey: "testing" };
      const options = { endpoint: server.url, region: "us-east-1", credentials };
      cloudFormation = new CloudFormationClient(options);
      lambda = new LambdaClient(options);
    });

    afterAll(async () => {
      await recorder?.stop();
      await server?.stop();
      rmSync(home, { recursive: true });
    });

    /** Runs the command with each of these parameters, one after the other. */
    function serverless(command: string, ...runs: readonly (readonly string[])[]) {
      const words = runs.map((parameters) => ({ words: [command, ...variantWords({ parameters })] }));
      return runServerlessOften(words, built, {
        ...bareEnvironment(home),
        AWS_ENDPOINT_URL: recorder.url,
        AWS_ACCESS_KEY_ID: "testing",
        AWS_SECRET_ACCESS_KEY: "testing",
        SLS_AWS_MONITORING_FREQUENCY: "200",
      });
    }

    async function functionNames(): Promise<readonly string[]> {
      const { Functions = [] } = await lambda.send(new ListFunctionsCommand({}));
      return Functions.map(({ FunctionName }) => FunctionName ?? "").sort();
    }

    describe.each(inTurn)("of %s", (variant, parameters) => {
      let deployed: readonly CommandResult[];
      beforeAll(async () => {
        deployed = await serverless("deploy", parameters, parameters);
      });
      // Managed policies stay when moto deletes their stack.
      afterAll(() => fetch(`${server.url}/moto-api/reset`, { method: "POST" }));

      it("makes everything in the template that the emulator knows", async () => {
        expect(deployed[0]?.status, deployed[0]?.output).toBe(0);
        const { StackResourceSummaries = [] } = await cloudFormation.send(
          new ListStackResourcesCommand({ StackName: "outrigger-dev" }),
        );
        const made = new Set(StackResourceSummaries.map(({ LogicalResourceId }) => LogicalResourceId));
        const { Resources } = goldenTemplate(variant);
        const missing = Object.entries(Resources).filter(([id]) => !made.has(id));
        const types = [...new Set(missing.map(([, { Type }]) => Type))].sort();
        expect(types).toEqual([...(NOT_EMULATED[variant] ?? []), ...(NOT_EMULATED["both"] ?? [])].sort());
      });

      it("makes the functions and says where they answer", async () => {
        const names = ["canary", "inject", "publish", "register"].map((name) => `outrigger-dev-${name}`);
        expect(await functionNames()).toEqual(names);
        const { Stacks } = await cloudFormation.send(new DescribeStacksCommand({ StackName: "outrigger-dev" }));
        const outputs = Object.fromEntries((Stacks?.[0]?.Outputs ?? []).map((o) => [o.OutputKey, o.OutputValue]));
        expect(outputs).toMatchObject({ Prefix: "/outrigger/dev", Publisher: "outrigger-dev-publish" });
        expect(outputs["Url"]).toMatch(/^https:\/\/.+\.execute-api\.us-east-1\.amazonaws\.com/);
      });

      it("changes nothing when it is deployed again", () => {
        const { status, output } = deployed[1] ?? {};
        expect(status, output).toBe(0);
        expect(output).toContain("No changes to deploy");
      });

      it("says account, Region and stage first, and refuses to drop a setting that the stack has", async () => {
        const [set, dropped] = await serverless("deploy", [...parameters, "ttl=20"], parameters);
        expect(set?.status, set?.output).toBe(0);
        expect(set?.output).toContain("Account 123456789012, Region us-east-1, stage dev");
        expect(set?.output).toContain("Setting ttl=20, for this deploy only (default: 10)");
        expect(dropped?.status).not.toBe(0);
        expect(dropped?.output).toContain("Cannot drop the setting ttl=20, which the stack has");
      });

      it("leaves no stack and no function when it is removed", async () => {
        const [removed] = await serverless("remove", parameters);
        expect(removed?.status, removed?.output).toBe(0);
        expect(await functionNames()).toEqual([]);
        const { StackSummaries = [] } = await cloudFormation.send(new ListStacksCommand({}));
        expect(StackSummaries.filter(({ StackStatus }) => StackStatus !== "DELETE_COMPLETE")).toEqual([]);
      });
    });

    it("asks for what `outrigger print policy deployer` allows, and for nothing else", async ({ onTestFinished }) => {
      const evaluator = startPolicyEvaluator(moto.python);
      onTestFinished(evaluator.end);
      const place = { partition: "aws", region: "us-east-1", account: "123456789012", stage: "dev" };
      const recorded = recorder.calls();
      expect(recorded.length).toBeGreaterThan(20);
      // The framework looks for a repository of images, and continues where it may not. Every caller may ask who they are.
      const free = ["ecr:DescribeRepositories", "sts:GetCallerIdentity"];
      const needed = recorded.filter(({ action }) => !free.includes(action));
      const bucket = needed.find(({ action }) => action === "s3:ListBucket")?.resource;
      const stack = needed.find(({ action }) => action === "cloudformation:UpdateStack")?.resource ?? "";
      const unseen = [
        // CloudFormation reads the template, and tags the stack, as the caller.
        {
          action: "s3:GetObject",
          resource: `${bucket}/serverless/outrigger/dev/1/compiled-cloudformation-template.json`,
        },
        { action: "cloudformation:TagResource", resource: stack },
        // An upload in parts that is broken off.
        { action: "s3:AbortMultipartUpload", resource: `${bucket}/serverless/outrigger/dev/1/inject.zip` },
        // What docs/failed-deploy.md and other pages run: printed-commands.test.ts.
        { action: "lambda:GetAccountSettings", resource: "*" },
        {
          action: "ssm:DeleteParameter",
          resource: "arn:aws:ssm:us-east-1:123456789012:parameter/outrigger/dev/canary/token",
        },
        ...["ContinueUpdateRollback", "RollbackStack"].map((name) => ({
          action: `cloudformation:${name}`,
          resource: stack,
        })),
        ...["Create", "Describe", "Execute"].map((verb) => ({
          action: `cloudformation:${verb}ChangeSet`,
          resource: stack,
        })),
        // What the emulator has no resources for: route settings and alarms of clusters.
        ...["GET", "DELETE", "PATCH"].map((method) => ({
          action: `apigateway:${method}`,
          resource: "arn:aws:apigateway:us-east-1::/apis/a1b2c3/stages/$default",
        })),
        {
          action: "cloudwatch:PutMetricAlarm",
          resource: "arn:aws:cloudwatch:us-east-1:123456789012:alarm:outrigger-dev-no-calls-shop-eu",
        },
      ];
      // What `outrigger deploy --dry-run` reads before it (cli/commands/deployments/deploy-plan.test.ts).
      const read = (action: string, ...names: readonly string[]) =>
        names.map((name) => ({
          action,
          resource: `arn:aws:ssm:us-east-1:123456789012:parameter/outrigger/dev/${name}`,
        }));
      const plan = [
        ...read("ssm:GetParameters", "serve/head"),
        ...read("ssm:GetParametersByPath", "source", "source/config", "channels", "channels/stable"),
      ];
      plan.push({
        action: "lambda:GetFunctionConfiguration",
        resource: "arn:aws:lambda:us-east-1:123456789012:function:outrigger-dev-publish",
      });
      const releases = "arn:aws:s3:::outrigger-dev-releasebucket-1a2b3c4d5e6f";
      const own = { "aws:ResourceAccount": "123456789012" };
      const objects: readonly IamCall[] = [
        { action: "s3:GetObject", resource: `${releases}/outrigger/dev/objects/1f2e`, context: own },
        {
          action: "s3:ListBucket",
          resource: releases,
          context: { ...own, "s3:prefix": "outrigger/dev/objects/releases/" },
        },
      ];
      const calls: readonly IamCall[] = [...needed, ...unseen, ...plan, ...objects];
      // Moto knows no StringLike, by which lists are limited: people-policies.test.ts.
      const elsewhere = { "aws:ResourceAccount": "210987654321" };
      const foreign = objects.map((call) => ({ ...call, context: { ...call.context, ...elsewhere } }));
      expect((await evaluator.evaluate(policyFor("deployer", place), foreign)).denied).toHaveLength(2);
      expect(await evaluator.evaluate(policyFor("deployer", place), calls)).toEqual({ denied: [], needless: [] });

      const roleArn = "arn:aws:iam::123456789012:role/cloudformation";
      const inRole = (role: string, service: string) => [
        ...calls.map((call) => ({ ...call, context: { ...call.context, "cloudformation:RoleArn": role } })),
        { action: "iam:PassRole", resource: role, context: { "iam:PassedToService": service } },
      ];
      const policy = policyFor("deployer", place, { roleArn });
      expect(await evaluator.evaluate(policy, inRole(roleArn, "cloudformation.amazonaws.com"))).toEqual({
        denied: [],
        needless: [],
      });
      const wrong = await evaluator.evaluate(policy, inRole(`${roleArn}-2`, "lambda.amazonaws.com"));
      expect(wrong.denied.map((line) => line.split(" ")[0])).toEqual(
        ["CreateChangeSet", "CreateStack", "DeleteStack", "UpdateStack"]
          .map((name) => `cloudformation:${name}`)
          .concat("iam:PassRole"),
      );
    });
  },
);
