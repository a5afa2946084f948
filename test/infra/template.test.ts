// What holds of the deployed template in every variant: logs without tokens, throttles, names that the runbooks have.
import { readFileSync, writeFileSync } from "node:fs";
import { stackNames } from "@outrigger/aws";
import { describe, expect, it } from "vitest";
import { withAccountSettings } from "../../infra/account-settings.ts";
import type { Template as DeployedTemplate } from "../../infra/template.ts";
import { promiseLines } from "../../tools/acceptance/promises.ts";
import { withRows } from "../../tools/support/page-rows.ts";
import { placeOfRunbook } from "../support/runbooks.ts";
import { goldenTemplate, type Template } from "./support/template.ts";
import { VARIANTS } from "./support/variants.ts";

type Properties = Readonly<Record<string, unknown>>;

function ofType(template: Template, type: string): readonly Properties[] {
  return Object.values(template.Resources)
    .filter(({ Type }) => Type === type)
    .map((resource) => resource.Properties ?? {});
}

/**
 * The variables that API Gateway may log of a call, each with its content as AWS documents it ("Customize HTTP API
 * access logs", "Variables for access logging for API Gateway"). None of them may hold the path, because the path holds
 * the token. That rules out `path`, `customDomain.basePathMatched` and `error.message`, which quotes the resource of a
 * denied call.
 */
const LOGGED: Readonly<Record<string, string>> = {
  "$context.requestId": "an ID that API Gateway assigns",
  "$context.requestTime": "the time in Common Log Format",
  "$context.routeKey": "the key of the matching route, with the names of its parameters",
  "$context.httpMethod": "the HTTP method",
  "$context.resourcePath": "the path of the resource, with the names of its parameters",
  "$context.status": "the status of the response",
  "$context.identity.sourceIp": "the address of the caller",
  "$context.responseLength": "bytes of the response",
  "$context.responseLatency": "milliseconds",
  "$context.integrationLatency": "milliseconds",
  "$context.error.responseType": "the type of the gateway response: one of a closed list of words",
  "$context.integrationErrorMessage": "the integration's error: of Lambda, why it could not be invoked",
};

/** A list of settings, as the template has it. */
function splitOf(items: readonly string[] | undefined): unknown {
  return { "Fn::Split": [",", (items ?? []).join(",")] };
}

describe.each(VARIANTS.map(({ name }) => name))("the template of %s", (variant) => {
  const template = goldenTemplate(variant);
  const stages = [...ofType(template, "AWS::ApiGatewayV2::Stage"), ...ofType(template, "AWS::ApiGateway::Stage")];
  const alarms = ofType(template, "AWS::CloudWatch::Alarm");
  const functions = ofType(template, "AWS::Lambda::Function");

  it("logs calls as JSON, without their path and so without their token", () => {
    expect(stages).toHaveLength(variant === "changing" ? 2 : 1);
    for (const stage of stages) {
      const settings = (stage["AccessLogSettings"] ?? stage["AccessLogSetting"]) as { readonly Format: string };
      const fields = Object.values(JSON.parse(settings.Format)) as readonly string[];
      const variables = fields.flatMap((field) => field.match(/\$[\w.]+/g) ?? []);
      expect(variables.length).toBeGreaterThan(8);
      expect(variables.filter((variable) => LOGGED[variable] === undefined)).toEqual([]);
      const methods = (stage["MethodSettings"] ?? []) as readonly Properties[];
      for (const { LoggingLevel, DataTraceEnabled } of methods)
        expect([LoggingLevel ?? "OFF", DataTraceEnabled ?? false]).toEqual(["OFF", false]);
    }
  });

  it("traces functions where that is set, and no stage of an API: its trace has the URL, and so the token", () => {
    const traced = withAccountSettings(template as unknown as DeployedTemplate, {
      permissionsBoundary: "",
      kmsKey: "",
      tracing: "on",
    });
    for (const each of [template, traced]) {
      const settings = Object.values(each.Resources).flatMap(({ Type, Properties }) =>
        /^AWS::ApiGateway(V2)?::Stage$/.test(Type) ? [{ Type, isTraced: Properties?.["TracingEnabled"] }] : [],
      );
      expect(settings).toHaveLength(stages.length);
      // An HTTP API has no such property. A stage that was traced once is so until the property says otherwise.
      for (const { Type, isTraced } of settings) expect(isTraced).toBe(Type.includes("V2") ? undefined : false);
    }
    expect(JSON.stringify(traced)).toContain('"TracingConfig":{"Mode":"Active"}');
  });

  it("throttles every call", () => {
    const [stage = {}] = stages;
    const [all] = (stage["MethodSettings"] as readonly Properties[] | undefined) ?? [stage["DefaultRouteSettings"]];
    const { ThrottlingRateLimit, ThrottlingBurstLimit } = all as Properties;
    expect(Math.min(Number(ThrottlingRateLimit), Number(ThrottlingBurstLimit))).toBeGreaterThan(0);
  });

  it("lets only its endpoints or addresses call, where the API has them", () => {
    const apis = ofType(template, "AWS::ApiGateway::RestApi");
    const expected = VARIANTS.find(({ name }) => name === variant)?.parameters ?? [];
    const listed = (name: string) =>
      expected
        .find((parameter) => parameter.startsWith(`${name}=`))
        ?.split("=")[1]
        ?.split(",");
    for (const { Policy, EndpointConfiguration } of apis) {
      const { Statement } = Policy as { readonly Statement: readonly Properties[] };
      const isPrivate = JSON.stringify(EndpointConfiguration).includes("PRIVATE");
      expect(Statement).toEqual([
        {
          Effect: "Allow",
          Principal: "*",
          Action: "execute-api:Invoke",
          Resource: "execute-api:/*",
          Condition: isPrivate
            ? { StringEquals: { "aws:SourceVpce": splitOf(listed("vpcEndpoints")) } }
            : { IpAddress: { "aws:SourceIp": splitOf(listed("sources") ?? ["0.0.0.0/0", "::/0"]) } },
        },
      ]);
    }
  });

  it("takes TLS 1.2 or newer, and requests only on the webhook's own paths", () => {
    for (const { SecurityPolicy } of ofType(template, "AWS::ApiGateway::RestApi"))
      expect(SecurityPolicy).toMatch(/^SecurityPolicy_TLS13_1_2_/);
    for (const { DomainNameConfigurations } of ofType(template, "AWS::ApiGatewayV2::DomainName"))
      expect(DomainNameConfigurations).toMatchObject([{ SecurityPolicy: "TLS_1_2" }]);
    for (const { RouteKey } of ofType(template, "AWS::ApiGatewayV2::Route"))
      expect(RouteKey).toMatch(/^POST \/t\/\{token\}\//);
    for (const { HttpMethod } of ofType(template, "AWS::ApiGateway::Method")) expect(HttpMethod).toBe("POST");
  });

  it("has roles that only the service may assume, and no wildcard principal but the gateway's", () => {
    for (const { AssumeRolePolicyDocument } of ofType(template, "AWS::IAM::Role")) {
      const { Statement } = AssumeRolePolicyDocument as { readonly Statement: readonly Properties[] };
      for (const { Principal } of Statement)
        expect(["lambda.amazonaws.com", "apigateway.amazonaws.com"]).toContain((Principal as Properties)["Service"]);
    }
    for (const type of ["AWS::SQS::QueuePolicy", "AWS::S3::BucketPolicy"])
      for (const { PolicyDocument } of ofType(template, type)) {
        const { Statement } = PolicyDocument as { readonly Statement: readonly Properties[] };
        for (const { Effect, Principal } of Statement) if (Effect === "Allow") expect(Principal).not.toBe("*");
      }
  });

  it("removes what is derived only after the managed policies, which IAM may keep", () => {
    const policies = Object.entries(template.Resources).filter(([, { Type }]) => Type === "AWS::IAM::ManagedPolicy");
    expect(policies).toHaveLength(3);
    for (const [, { DependsOn }] of policies) expect(DependsOn).toEqual(["PublishRelease"]);
  });

  it("keeps logs for a time and not forever", () => {
    const groups = ofType(template, "AWS::Logs::LogGroup");
    expect(groups).toHaveLength(5);
    for (const { RetentionInDays } of groups) expect(Number(RetentionInDays)).toBeGreaterThan(0);
  });

  it("runs every function on Node 24 and arm64, the inject and publish functions with a limit", () => {
    expect(functions).toHaveLength(4);
    for (const { Runtime, Architectures } of functions)
      expect([Runtime, Architectures]).toEqual(["nodejs24.x", ["arm64"]]);
    const limits = functions.map(({ FunctionName, ReservedConcurrentExecutions }) => [
      FunctionName,
      ReservedConcurrentExecutions,
    ]);
    expect(Object.fromEntries(limits)).toMatchObject({
      "outrigger-dev-inject": expect.any(Number),
      "outrigger-dev-publish": 4,
    });
  });

  it("lets only the gateway of this stack and rules of EventBridge call functions", () => {
    const permissions = ofType(template, "AWS::Lambda::Permission");
    expect(permissions).toHaveLength(variant === "changing" ? 7 : 6);
    for (const { SourceArn } of permissions) expect(SourceArn).toBeDefined();
  });

  it("says which role registers clusters: its name is CloudFormation's choice, and it needs an access entry", () => {
    expect(template.Resources["RegisterRole"]?.Properties?.["RoleName"]).toBeUndefined();
    expect(template.Outputs["RegistrarRole"]?.Value).toEqual({ "Fn::GetAtt": ["RegisterRole", "Arn"] });
  });

  it("has a runbook for every alarm, which it names", () => {
    expect(alarms.length).toBeGreaterThanOrEqual(stackNames.alarms.length);
    for (const { AlarmName, AlarmDescription } of alarms) {
      const name = String(AlarmName).replace("outrigger-dev-", "");
      expect(AlarmDescription).toContain(placeOfRunbook(name) ?? "a runbook");
    }
  });

  it("encrypts dead letters, and keeps the artifacts' bucket from the public", () => {
    const key = VARIANTS.find(({ name }) => name === variant)?.parameters.find((one) => one.startsWith("kmsKey="));
    expect(ofType(template, "AWS::SQS::Queue")).toMatchObject([
      key === undefined ? { SqsManagedSseEnabled: true } : { KmsMasterKeyId: key.replace("kmsKey=", "") },
    ]);
    const buckets = ofType(template, "AWS::S3::Bucket");
    // One has the code; rest names its own of releases.
    expect(buckets).toHaveLength(variant === "rest" ? 1 : 2);
    for (const { BucketEncryption, PublicAccessBlockConfiguration: blocked } of buckets) {
      expect(BucketEncryption).toBeDefined();
      const names = ["BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"];
      expect(blocked).toEqual(Object.fromEntries(names.map((name) => [name, true])));
    }
    const policies = ofType(template, "AWS::S3::BucketPolicy");
    expect(policies).toHaveLength(buckets.length);
    for (const { PolicyDocument } of policies) {
      const { Statement } = PolicyDocument as { readonly Statement: readonly Properties[] };
      const insecure = { Bool: { "aws:SecureTransport": expect.anything() } };
      expect(Statement).toContainEqual(
        expect.objectContaining({ Effect: "Deny", Principal: "*", Condition: insecure }),
      );
    }
  });
});

describe("the bucket of releases", () => {
  it.each(VARIANTS.map(({ name }) => name).filter((name) => name !== "rest"))(
    "of %s keeps what was deleted for a month, has one owner, and is never lost for another",
    (variant) => {
      const bucket = goldenTemplate(variant).Resources["ReleaseBucket"];
      expect(bucket).toMatchObject({ DeletionPolicy: "Delete", UpdateReplacePolicy: "Retain" });
      expect(bucket?.Properties).toMatchObject({
        OwnershipControls: { Rules: [{ ObjectOwnership: "BucketOwnerEnforced" }] },
        VersioningConfiguration: { Status: "Enabled" },
        LifecycleConfiguration: {
          Rules: [
            {
              Status: "Enabled",
              NoncurrentVersionExpiration: { NoncurrentDays: 30 },
              AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
            },
          ],
        },
      });
      // What is served expires never.
      expect(JSON.stringify(bucket)).not.toContain("ExpirationInDays");
    },
  );

  it.each(VARIANTS.map(({ name }) => name))("of %s is emptied after the last writer is gone", (variant) => {
    const { ReconcileSchedule, RolloutSchedule } = goldenTemplate(variant).Resources;
    for (const schedule of [ReconcileSchedule, RolloutSchedule])
      expect(schedule?.DependsOn).toEqual(["PublishRelease"]);
  });
});

describe("alarms", () => {
  it.each(VARIANTS.map(({ name }) => name))(
    "of %s notify every topic that is set, when they fire and when they end",
    (variant) => {
      const { parameters = [] } = VARIANTS.find(({ name }) => name === variant) ?? {};
      const count = parameters.filter((parameter) => /^(email|topic)=/.test(parameter)).length;
      for (const { AlarmName, AlarmActions, OKActions } of ofType(goldenTemplate(variant), "AWS::CloudWatch::Alarm")) {
        expect(AlarmActions, String(AlarmName)).toHaveLength(count);
        expect(OKActions, String(AlarmName)).toEqual(AlarmActions);
      }
    },
  );

  it("hold a refused edit until one is published, and take silence of the canary for a failure", () => {
    const missing = Object.fromEntries(
      ofType(goldenTemplate("http"), "AWS::CloudWatch::Alarm").map(({ AlarmName, TreatMissingData }) => [
        AlarmName,
        TreatMissingData,
      ]),
    );
    expect(missing).toMatchObject({ "outrigger-dev-publish-refused": "ignore", "outrigger-dev-canary": "breaching" });
  });
});

describe("docs/contributing/deployment.md", () => {
  it("has the list of what only AWS can confirm (UPDATE_GOLDEN=1 writes it)", () => {
    const page = readFileSync("docs/contributing/deployment.md", "utf8");
    const written = withRows(page, "promises", promiseLines());
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync("docs/contributing/deployment.md", written);
    else expect(page).toBe(written);
  });
});
