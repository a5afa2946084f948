// `outrigger print policy`: what each kind of person may, against the templates, the deploy plugin, the managed policies of the
// stack, and the commands of the runbooks.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { policyFor, policyKinds, stackNames } from "@outrigger/aws";
import type { JsonObject } from "@outrigger/base";
import { main } from "@outrigger/cli";
import { describe, expect, it } from "vitest";
import { fakeIo } from "../cli/fake-io.ts";
import { RUNBOOKS } from "../support/runbooks.ts";
import { statementsOf } from "./support/policies.ts";
import { goldenTemplate } from "./support/template.ts";
import { VARIANTS } from "./support/variants.ts";

const PLACE = { partition: "aws", region: "eu-west-1", account: "123456789012", stage: "dev" };
const BOUNDARY = "arn:aws:iam::123456789012:policy/boundary";
const ROLE = "arn:aws:iam::210987654321:role/eks";

interface Allowed {
  readonly action: string;
  readonly resource: string;
}

const statements = (document: JsonObject) =>
  document["Statement"] as readonly { readonly Sid: string; readonly Action: string[]; readonly Resource: string[] }[];

function allowedBy(document: JsonObject): readonly Allowed[] {
  return statements(document).flatMap(({ Action, Resource }) =>
    Action.flatMap((action) => Resource.map((resource) => ({ action, resource }))),
  );
}

const linesOf = (allowed: readonly Allowed[]) => allowed.map(({ action, resource }) => `${action} ${resource}`).sort();

/** Returns what a managed policy of the stack allows, with the variables of CloudFormation filled in. */
function managed(holder: string, variant: string): readonly string[] {
  const filled = (resource: string) =>
    resource
      .replace('{"Ref":"AWS::StackId"}', "arn:aws:cloudformation:eu-west-1:123456789012:stack/outrigger-dev/*")
      .replace("PublishLambdaFunction.Arn", "arn:aws:lambda:eu-west-1:123456789012:function:outrigger-dev-publish")
      .replace("ReleaseBucket.Arn", "arn:aws:s3:::outrigger-dev-releasebucket-*")
      .replace(/\$\{ReleaseBucket\}/, "outrigger-dev-releasebucket-*")
      .replaceAll(/\$\{AWS::Partition\}/g, "aws")
      .replaceAll(/\$\{AWS::Region\}/g, "eu-west-1")
      .replaceAll(/\$\{AWS::AccountId\}/g, "123456789012");
  return linesOf(
    statementsOf(goldenTemplate(variant))
      .filter((statement) => statement.holder === holder)
      .flatMap(({ actions, resources }) =>
        actions.flatMap((action) => resources.map((resource) => ({ action, resource: filled(resource) }))),
      ),
  );
}

describe("policyFor()", () => {
  it.each([
    ["editor", "TemplateEditors"],
    ["publisher", "ChannelMovers"],
    ["registrar", "ClusterRegistrars"],
  ] as const)("%s: is what the stack has as the managed policy %s", (kind, holder) => {
    expect(linesOf(allowedBy(policyFor(kind, PLACE)))).toEqual(managed(holder, "http"));
    expect(linesOf(allowedBy(policyFor(kind, PLACE, { bucket: "team-releases" })))).toEqual(managed(holder, "rest"));
  });

  it.each(policyKinds)(
    "%s: reads releases of this stage only, and of this account where the name is made up",
    (kind) => {
      const prefix = { StringLike: { "s3:prefix": "outrigger/dev/objects/*" } };
      const own = { "aws:ResourceAccount": PLACE.account };
      const made = "arn:aws:s3:::outrigger-dev-releasebucket-*";
      const releases = (document: JsonObject) =>
        statements(document).filter(({ Sid }) => /^(See|List)(Named)?Releases$/.test(Sid));
      const ofStack = [
        { Action: ["s3:GetObject"], Resource: [`${made}/outrigger/dev/objects/*`], Condition: { StringEquals: own } },
        { Action: ["s3:ListBucket"], Resource: [made], Condition: { StringEquals: own, ...prefix } },
      ];
      const named = [
        { Action: ["s3:GetObject"], Resource: ["arn:aws:s3:::team/outrigger/dev/objects/*"] },
        { Action: ["s3:ListBucket"], Resource: ["arn:aws:s3:::team"], Condition: prefix },
      ];
      expect(releases(policyFor(kind, PLACE))).toMatchObject(ofStack);
      expect(releases(policyFor(kind, PLACE, { bucket: "team" }))).toMatchObject(
        kind === "deployer" ? [...ofStack, ...named] : named,
      );
    },
  );

  it.each(policyKinds)("%s: names actions in full, and resources of this stage", (kind) => {
    const allowed = allowedBy(policyFor(kind, PLACE, { roleArn: ROLE }));
    expect(allowed.length).toBeGreaterThan(10);
    expect(statements(policyFor(kind, PLACE)).filter(({ Resource }) => Resource.length === 0)).toEqual([]);
    for (const { action } of allowed) expect(action).toMatch(/^[a-z0-9]+:[A-Z][A-Za-z]+$/);
    const others = allowed.filter(({ resource }) => !/outrigger[-/]dev/.test(resource));
    const shared =
      /^(\*|.*(:alarm:\*$|:eks:|:kms:|:acm:|:apigateway:|:servicesetting\/|aws-service-role\/|role\/eks$).*)$/;
    expect(others.filter(({ resource }) => !shared.test(resource))).toEqual([]);
  });

  it("lets a registrar assume the role of --role-arn, which may find clusters of its own account and nothing else", () => {
    const allowed = linesOf(allowedBy(policyFor("registrar", PLACE, { roleArn: ROLE })));
    expect(allowed.filter((line) => line.startsWith("sts:"))).toEqual([`sts:AssumeRole ${ROLE}`]);
    expect(linesOf(allowedBy(policyFor("registrar", PLACE, { roleArn: ROLE, forRole: true })))).toEqual([
      "eks:DescribeCluster arn:aws:eks:*:210987654321:cluster/*",
    ]);
  });

  it.each(VARIANTS.map(({ name }) => name))("names the log groups and alarms of %s", (variant) => {
    const named = (type: string, property: string) =>
      Object.values(goldenTemplate(variant).Resources).flatMap(({ Type, Properties }) =>
        Type === type ? [String(Properties?.[property])] : [],
      );
    const { parameters } = VARIANTS.find(({ name }) => name === variant) ?? { parameters: [] };
    const ofSettings = Object.entries(stackNames.alarmOf).flatMap(([setting, alarm]) =>
      parameters.some((parameter) => parameter.startsWith(`${setting}=`)) ? [alarm] : [],
    );
    const alarms = [...stackNames.alarms, ...ofSettings].map((name) => `outrigger-dev-${name}`);
    expect([...alarms].sort()).toEqual(named("AWS::CloudWatch::Alarm", "AlarmName").sort());
    expect([...stackNames.logGroups("dev")].sort()).toEqual(named("AWS::Logs::LogGroup", "LogGroupName").sort());
  });

  it("deployer: allows the calls of the deploy plugin, and no function but the deploy hook for CloudFormation", () => {
    const source = readFileSync("infra/aws-request.ts", "utf8");
    const calls = [...source.matchAll(/^ {2}"(\w+:\w+)": async/gm)].map(([, call]) => call ?? "");
    expect(calls.length).toBeGreaterThan(6);
    const free = ["sts:GetCallerIdentity"];
    const methods: Readonly<Record<string, string>> = {
      "apigateway:GetStage": "apigateway:GET",
      "apigateway:DeleteRouteSettings": "apigateway:DELETE",
      "apigateway:UpdateStage": "apigateway:PATCH",
    };
    const allowed = allowedBy(policyFor("deployer", PLACE));
    const actions = new Set(allowed.map(({ action }) => action));
    expect(calls.filter((call) => !free.includes(call) && !actions.has(methods[call] ?? call))).toEqual([]);
    const both = [...allowed, ...allowedBy(policyFor("deployer", PLACE, { forRole: true }))];
    expect(both.filter(({ action }) => action === "lambda:InvokeFunction")).toEqual([
      {
        action: "lambda:InvokeFunction",
        resource: "arn:aws:lambda:eu-west-1:123456789012:function:outrigger-dev-publish:deploy-hook",
      },
    ]);
  });

  it("lets nobody but a deployer invoke the deploy hook, and nobody read the canary's token", () => {
    for (const kind of policyKinds) {
      const allowed = allowedBy(policyFor(kind, PLACE));
      const invoked = allowed
        .filter(({ action }) => action === "lambda:InvokeFunction")
        .map(({ resource }) => resource);
      if (kind !== "deployer") for (const resource of invoked) expect(resource).not.toMatch(/deploy-hook|\*/);
      const read = allowed.filter(({ action }) => action.startsWith("ssm:Get"));
      for (const { resource } of read) expect(resource).not.toMatch(/canary|parameter\/outrigger\/dev\/\*/);
    }
  });

  it("oncall: allows what the runbooks run with the AWS CLI", () => {
    const commands = [...RUNBOOKS.matchAll(/aws (logs|lambda|sqs|ssm|cloudwatch|acm) ([a-z-]+)/g)].map(
      ([, service, words = ""]) => {
        const name = words.replaceAll(/(?:^|-)([a-z])/g, (_all, letter: string) => letter.toUpperCase());
        return `${service}:${name === "Invoke" ? "InvokeFunction" : name}`;
      },
    );
    expect(new Set(commands).size).toBeGreaterThan(8);
    const actions = new Set(allowedBy(policyFor("oncall", PLACE)).map(({ action }) => action));
    expect([...new Set(commands)].filter((command) => !actions.has(command))).toEqual([]);
  });
});

describe("outrigger print policy", () => {
  const run = async (...words: readonly string[]) => {
    const io = fakeIo();
    const status = await main(["print", "policy", ...words], io);
    return { status, out: io.out(), err: io.err() };
  };

  it.each([
    ["cn-north-1", "arn:aws-cn:"],
    ["us-gov-west-1", "arn:aws-us-gov:"],
    ["eu-west-1", "arn:aws:"],
  ])("writes ARNs of the partition of %s", async (region, prefix) => {
    for (const kind of policyKinds) {
      const { out } = await run(kind, "--account", "123456789012", "--region", region);
      const arns = [...out.matchAll(/"(arn:[^"]*)"/g)].map(([, arn]) => arn ?? "");
      expect(arns.length).toBeGreaterThan(3);
      expect(arns.filter((arn) => !arn.startsWith(prefix))).toEqual([]);
    }
  });

  it("prints the policy of CloudFormation's service role in parts that IAM takes, and says how many", async () => {
    const words = ["--account", "123456789012", "--region", "eu-west-1"];
    const first = await run("deployer-role", ...words, "--permissions-boundary", BOUNDARY);
    expect(first.err).toBe(
      "Part 1 of 2: a role needs all of them (deployer-role PART; deployer-role DIRECTORY writes a file for each)\n",
    );
    const second = await run("deployer-role", "2", ...words);
    for (const { out } of [first, second]) expect(JSON.stringify(JSON.parse(out)).length).toBeLessThanOrEqual(6144);
    expect(first.out + second.out).toContain(BOUNDARY);
    expect((await run("deployer-role", "3", ...words)).err).toContain("the policy has 2");
  });

  it("writes a file for each part of a policy that a long stage makes longer", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "outrigger-policy-"));
    const io = fakeIo({ cwd });
    const place = ["--account", "123456789012", "--region", "eu-west-1", "--stage", "sixteen-letters0"];
    expect(await main(["print", "policy", "deployer-role", "policies", ...place], io)).toBe(0);
    const files = readdirSync(join(cwd, "policies"));
    expect(files.length).toBeGreaterThan(1);
    expect(files.map((_, index) => `deployer-role-${index + 1}.json`)).toEqual(files.toSorted());
    for (const file of files) {
      const text = readFileSync(join(cwd, "policies", file), "utf8");
      expect(JSON.stringify(JSON.parse(text)).length).toBeLessThanOrEqual(6144);
    }
    expect(io.out().match(/^Wrote /gm)).toHaveLength(files.length);
    rmSync(cwd, { recursive: true });
  });

  it("says what templates may add to pods, by the stage's file, next to a policy of who may edit or publish them", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "outrigger-policy-"));
    const place = ["--account", "123456789012", "--region", "eu-west-1", "--stage", "prod"];
    const say = async (...words: readonly string[]) => {
      const io = fakeIo({ cwd });
      expect(await main(["print", "policy", ...words, ...place], io)).toBe(0);
      return io.err();
    };
    expect(await say("editor")).toBe("");
    writeFileSync(join(cwd, "outrigger.prod.yml"), "guardrails: [baseline, 'image:registry.istio.io/*']\n");
    const said =
      "By outrigger.prod.yml, templates may add to pods what the guardrails admit: baseline,image:registry.istio.io/*\n";
    expect(await say("editor")).toBe(said);
    expect(await say("oncall")).toBe("");
    writeFileSync(join(cwd, "outrigger.prod.yml"), "guardrails: off\n");
    expect(await say("publisher")).toBe("By outrigger.prod.yml, templates may add to pods anything\n");
    rmSync(cwd, { recursive: true });
  });

  it("refuses options that do not go together", async () => {
    const place = ["--account", "123456789012", "--region", "eu-west-1"];
    expect(await run("oncall", ...place, "--role-arn", ROLE)).toMatchObject({ status: 2 });
    expect(await run("registrar-role", ...place)).toMatchObject({ status: 2 });
    expect(await run("editor-role", ...place)).toMatchObject({ status: 2 });
    expect(await run("deployer", ...place, "--permissions-boundary", BOUNDARY)).toMatchObject({ status: 2 });
    expect(await run("deployer", "2", ...place)).toMatchObject({ status: 2 });
    expect(await run("oncall", ...place, "--bucket", "a.b")).toMatchObject({ status: 2 });
    const objects = "arn:aws:s3:::releases/outrigger/dev/objects/*";
    expect((await run("oncall", ...place, "--bucket", "releases")).out).toContain(objects);
    expect((await run("oncall", ...place)).out).toContain(
      "arn:aws:s3:::outrigger-dev-releasebucket-*/outrigger/dev/objects/*",
    );
    expect(await run("registrar", "--account", "12", "--region", "eu-west-1")).toMatchObject({ status: 2 });
    expect((await run("registrar-role", ...place, "--role-arn", ROLE)).out).toContain("eks:DescribeCluster");
  });
});
