// What roles and policies allow: what the code calls and nothing else, on the stage's own prefix, in every variant.

import { layoutOf } from "@outrigger/aws";
import { objectOf } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { mayTouch, statementsOf } from "./support/policies.ts";
import { callsInFolder, callsOf } from "./support/sdk-calls.ts";
import { goldenTemplate } from "./support/template.ts";
import { VARIANTS } from "./support/variants.ts";

const layout = layoutOf("/outrigger/dev");
const http = statementsOf(goldenTemplate("http"));
const token = "/outrigger/dev/canary/token";
/** What earlier versions kept in parameters, and a deploy copies to the bucket. */
const EARLIER = ["/outrigger/dev/releases/ab/0", "/outrigger/dev/images/ab/0"];

/** The actions that are allowed beyond the code's own calls, with who makes the call. */
const PLATFORM: Readonly<Record<string, readonly string[]>> = {
  InjectRole: ["logs:CreateLogStream", "logs:PutLogEvents"], // Lambda
  PublishRole: ["logs:CreateLogStream", "logs:PutLogEvents", "sqs:SendMessage"], // Lambda; to the dead letters
  RegisterRole: ["logs:CreateLogStream", "logs:PutLogEvents"],
  CanaryRole: ["logs:CreateLogStream", "logs:PutLogEvents", "kms:Decrypt"], // Parameter Store, for the SecureString
};

/** The requests for objects: without the SDK, whose commands are what is read of the code. */
const OBJECTS: Readonly<Record<string, readonly string[]>> = {
  InjectRole: ["s3:GetObject", "s3:ListBucket"], // the second for the answer 404: nothing is listed
  PublishRole: [
    ...["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:ListBucket"],
    ...["s3:DeleteObjectVersion", "s3:ListBucketVersions"], // a removal
  ],
};

/** The calls in the code that IAM does not ask for. */
const FREE: readonly string[] = ["sts:GetCallerIdentity"];

/** The calls that are made only where a setting asks for them, which the template without settings does not allow. */
const ASKED: readonly string[] = ["events:PutEvents"];

/** Everything that is allowed on `*`, and why nothing finer is there. */
const WITHOUT_RESOURCES: Readonly<Record<string, string>> = {
  "TemplateEditors ssm:DescribeParameters": "the service has no resources for lists",
  "ClusterRegistrars cloudwatch:GetMetricData": "metrics are no resources",
  "ChannelMovers cloudwatch:GetMetricData": "the same",
  "PublishRole cloudwatch:GetMetricData": "the same",
  ...Object.fromEntries(
    ["InjectRole", "PublishRole", "RegisterRole", "CanaryRole"].flatMap((role) => [
      [`${role} xray:PutTraceSegments`, "X-Ray has no resources for segments"],
      [`${role} xray:PutTelemetryRecords`, "the same"],
    ]),
  ),
  "CanaryRole ec2:CreateNetworkInterface": "Lambda's own permissions in a network, as AWSLambdaVPCAccessExecutionRole",
  "CanaryRole ec2:DescribeNetworkInterfaces": "the same",
  "CanaryRole ec2:DescribeSubnets": "the same",
  "CanaryRole ec2:DeleteNetworkInterface": "the same",
  "CanaryRole ec2:AssignPrivateIpAddresses": "the same",
  "CanaryRole ec2:UnassignPrivateIpAddresses": "the same",
};

describe.each(VARIANTS.map(({ name }) => name))("policies of %s", (variant) => {
  const statements = statementsOf(goldenTemplate(variant));

  it("name every action in full", () => {
    const actions = statements.flatMap((statement) => statement.actions);
    expect(actions.length).toBeGreaterThan(20);
    expect(actions.filter((action) => action.includes("*"))).toEqual([]);
  });

  it("name a resource wherever the service has one", () => {
    const everywhere = statements
      .filter(({ resources }) => resources.some((resource) => resource === "*"))
      .flatMap(({ holder, actions }) => actions.map((action) => `${holder} ${action}`));
    expect(everywhere.filter((entry) => WITHOUT_RESOURCES[entry] === undefined)).toEqual([]);
  });

  it("stay below the stage's prefix in Parameter Store", () => {
    const parameters = statements
      .filter(({ actions }) => actions.some((action) => action.startsWith("ssm:")))
      .flatMap(({ resources }) => resources.filter((resource) => resource !== "*"));
    expect(parameters.length).toBeGreaterThan(20);
    const place = ":parameter/outrigger/dev/";
    expect(parameters.filter((resource) => !resource.includes(place))).toEqual([]);
  });
});

describe("roles of functions", () => {
  it.each([
    ["inject", "InjectRole"],
    ["publish", "PublishRole"],
    ["register", "RegisterRole"],
    ["canary", "CanaryRole"],
  ])("allow functions/%s what its code calls and nothing else", async (name, role) => {
    const calls = (await callsOf(name)).filter((call) => ![...FREE, ...ASKED].includes(call));
    const allowed = new Set(http.filter(({ holder }) => holder === role).flatMap(({ actions }) => actions));
    expect([...allowed].sort()).toEqual([...calls, ...(OBJECTS[role] ?? []), ...(PLATFORM[role] ?? [])].sort());
  });

  it("let the inject function read what is served and not what is edited", () => {
    const may = (name: string) => mayTouch(http, "InjectRole", "ssm:GetParameters", name);
    // The last is of the version before, which answers until a deploy has checked this one.
    for (const name of [layout.head, layout.mirrorPart(0), "/outrigger/dev/images/ab/0"])
      expect(may(name), name).toBe(true);
    for (const name of [layout.sourceParameter("config"), layout.cluster("a"), token, "/outrigger/dev/releases/ab/0"])
      expect(may(name), name).toBe(false);
  });

  it("let the publish function write what is derived, and the canary's token, and not what is edited", () => {
    for (const name of [layout.head, layout.channel("c"), layout.cluster("a")]) {
      expect(mayTouch(http, "PublishRole", "ssm:PutParameter", name), name).toBe(true);
      expect(mayTouch(http, "PublishRole", "ssm:DeleteParameters", name), name).toBe(true);
    }
    for (const path of [layout.source, layout.channels, layout.clusters])
      expect(mayTouch(http, "PublishRole", "ssm:GetParametersByPath", path), path).toBe(true);
    for (const name of EARLIER) {
      expect(mayTouch(http, "PublishRole", "ssm:GetParametersByPath", name), name).toBe(true);
      expect(mayTouch(http, "PublishRole", "ssm:DeleteParameters", name), name).toBe(true);
      expect(mayTouch(http, "PublishRole", "ssm:PutParameter", name), name).toBe(false);
    }
    expect(mayTouch(http, "PublishRole", "ssm:PutParameter", layout.sourceParameter("config"))).toBe(false);
    expect(mayTouch(http, "PublishRole", "ssm:PutParameter", token)).toBe(true);
    expect(mayTouch(http, "PublishRole", "ssm:GetParameters", token)).toBe(false);
  });

  it("let the publish function send events as itself, to the one bus that is named, and nobody else", () => {
    const senders = (variant: string) =>
      statementsOf(goldenTemplate(variant)).filter(({ actions }) => actions.some((name) => name.startsWith("events:")));
    const own = ["arn:$", "{AWS::Partition}:events:$", "{AWS::Region}:$", "{AWS::AccountId}:event-bus/audit"].join("");
    const isItself = { StringEquals: { "events:source": "outrigger", "events:detail-type": "Outrigger Change" } };
    const allowed = { holder: "PublishRole", actions: ["events:PutEvents"], condition: isItself };
    expect(senders("http")).toEqual([]);
    expect(senders("domain")).toEqual([{ ...allowed, resources: [own] }]);
    const other = "arn:aws:events:us-east-1:999999999999:event-bus/audit";
    expect(senders("provisioned")).toEqual([{ ...allowed, resources: [other] }]);
  });

  it("let nobody but the canary read its token", () => {
    const readers = new Set(
      http
        .filter(({ holder, actions }) =>
          actions.some((action) => action.startsWith("ssm:Get") && mayTouch(http, holder, action, token)),
        )
        .map(({ holder }) => holder),
    );
    expect([...readers]).toEqual(["CanaryRole"]);
  });
});

describe("the release bucket", () => {
  const s3 = (variant: string) =>
    statementsOf(goldenTemplate(variant))
      .filter(({ actions }) => actions.some((action) => action.startsWith("s3:")))
      .flatMap(({ holder, actions, resources }) =>
        actions.flatMap((action) => resources.map((name) => `${holder} ${action} ${name}`)),
      )
      .sort();
  const partition = ["arn:$", "{AWS::Partition}:s3:::"].join("");

  it.each(VARIANTS)("of $name is written by the publish function alone, below the stage's prefix", (variant) => {
    const named = variant.parameters.find((parameter) => /^releaseBucket=(?!create)/.test(parameter))?.split("=")[1];
    const bucket = named === undefined ? "ReleaseBucket.Arn" : `${partition}${named}`;
    const objects = `${partition}${named ?? `$\{ReleaseBucket}`}/outrigger/dev/objects/*`;
    const isReplica = variant.parameters.some((parameter) => parameter.startsWith("replicaOf="));
    expect(s3(variant.name)).toEqual(
      [
        `InjectRole s3:GetObject ${objects}`,
        `InjectRole s3:ListBucket ${bucket}`,
        ...["Get", "Put", "Delete"].map((verb) => `PublishRole s3:${verb}Object ${objects}`),
        `PublishRole s3:DeleteObjectVersion ${objects}`,
        `PublishRole s3:ListBucket ${bucket}`,
        `PublishRole s3:ListBucketVersions ${bucket}`,
        ...["TemplateEditors", "ChannelMovers", "ClusterRegistrars"].flatMap((holder) => [
          `${holder} s3:GetObject ${objects}`,
          `${holder} s3:ListBucket ${bucket}`,
        ]),
        ...(isReplica
          ? [
              `PublishRole s3:GetObject ${partition}*/outrigger/dev/objects/*`,
              `PublishRole s3:ListBucket ${partition}*`,
            ]
          : []),
      ].sort(),
    );
  });

  it.each(VARIANTS)(
    "of $name is listed below the stage's prefix only, and another account's is never read",
    ({ name, parameters }) => {
      const statements = statementsOf(goldenTemplate(name));
      const lists = statements.filter(({ actions }) => actions.some((action) => action.startsWith("s3:List")));
      const isReplica = parameters.some((parameter) => parameter.startsWith("replicaOf="));
      expect(lists).toHaveLength(isReplica ? 6 : 5);
      for (const { condition } of lists)
        expect(condition).toMatchObject({ StringLike: { "s3:prefix": "outrigger/dev/objects/*" } });
      for (const { resources, condition } of statements) {
        const isAnyBucket = resources.some((resource) => resource.includes(":s3:::*"));
        const account = objectOf(condition)["StringEquals"];
        expect(account).toEqual(isAnyBucket ? { "aws:ResourceAccount": { Ref: "AWS::AccountId" } } : account);
      }
    },
  );

  it.each(VARIANTS)("of $name is named in the environment of the functions that have rights on it", ({ name }) => {
    const { Resources, Outputs } = goldenTemplate(name);
    const output = Outputs["ReleaseBucket"]?.Value;
    expect(output).toBeDefined();
    for (const id of ["InjectLambdaFunction", "PublishLambdaFunction"]) {
      const { Variables } = objectOf(Resources[id]?.Properties?.["Environment"]);
      expect(objectOf(Variables)["OUTRIGGER_RELEASE_BUCKET"]).toEqual(output);
    }
  });
});

describe("policies for people", () => {
  const allowedTo = (holder: string) =>
    new Set(http.filter((statement) => statement.holder === holder).flatMap(({ actions }) => actions));

  const isReading = (action: string) => /^(ssm:Get|s3:(GetObject|ListBucket)$)/.test(action);

  it("let cluster registrars do what the registering commands call, and read parameters and releases", async () => {
    const beyond = [...allowedTo("ClusterRegistrars")].filter((action) => !isReading(action)).sort();
    expect(beyond).toEqual(await callsInFolder("lib/cluster"));
  });

  it("let template editors do what pull and push call, below source/ and nowhere else", async () => {
    const allowed = allowedTo("TemplateEditors");
    const calls = [
      ...(await callsInFolder("lib/aws/parameter-store")),
      ...(await callsInFolder("lib/publisher/source")),
    ];
    expect(calls.length).toBeGreaterThan(2);
    for (const call of calls) expect(allowed, call).toContain(call);
    for (const action of ["ssm:PutParameter", "ssm:DeleteParameters"]) {
      expect(mayTouch(http, "TemplateEditors", action, layout.sourceParameter("config"))).toBe(true);
      for (const name of [layout.head, layout.channel("stable"), layout.cluster("a"), token])
        expect(mayTouch(http, "TemplateEditors", action, name), name).toBe(false);
    }
  });

  it("let channel movers ask the publisher, see how a rollout goes, and write nothing themselves", () => {
    const beyond = [...allowedTo("ChannelMovers")].filter((action) => !isReading(action));
    expect(beyond).toEqual(["lambda:InvokeFunction", "cloudwatch:DescribeAlarms", "cloudwatch:GetMetricData"]);
  });
});
