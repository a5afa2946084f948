// What holds of the deployed template in every variant: logs without tokens, throttles, names that the runbooks have, and
// settings as docs/deploy.md lists them.
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { settingsTable } from "./support/settings-table.ts";
import { goldenTemplate, type Template } from "./support/template.ts";
import { VARIANTS } from "./support/variants.ts";

type Properties = Readonly<Record<string, unknown>>;

function ofType(template: Template, type: string): readonly Properties[] {
  return Object.values(template.Resources)
    .filter(({ Type }) => Type === type)
    .map((resource) => resource.Properties ?? {});
}

/**
 * What API Gateway may log of a call: each variable with its content as AWS documents it ("Customize HTTP API access logs",
 * "Variables for access logging for API Gateway"). None of them may hold the path, because the path holds the token. That
 * rules out `path`, `customDomain.basePathMatched` and `error.message`, which quotes the resource of a denied call.
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

const operations = readFileSync("docs/operations.md", "utf8");
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

  it("throttles every call", () => {
    const [stage = {}] = stages;
    const [all] = (stage["MethodSettings"] as readonly Properties[] | undefined) ?? [stage["DefaultRouteSettings"]];
    const { ThrottlingRateLimit, ThrottlingBurstLimit } = all as Properties;
    expect(Math.min(Number(ThrottlingRateLimit), Number(ThrottlingBurstLimit))).toBeGreaterThan(0);
  });

  it("keeps logs for a time and not for ever", () => {
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
      "outrigger-dev-publish": 3,
    });
  });

  it("lets only the gateway of this stack and rules of EventBridge call functions", () => {
    const permissions = ofType(template, "AWS::Lambda::Permission");
    expect(permissions).toHaveLength(variant === "changing" ? 5 : 4);
    for (const { SourceArn } of permissions) expect(SourceArn).toBeDefined();
  });

  it("has a runbook for every alarm, which it names", () => {
    expect(alarms).toHaveLength(15);
    for (const { AlarmName, AlarmDescription } of alarms) {
      const name = String(AlarmName).replace("outrigger-dev-", "");
      expect(AlarmDescription).toContain(`docs/operations.md#${name}`);
      expect(operations).toMatch(new RegExp(`^## ${name}$`, "m"));
    }
  });

  it("encrypts dead letters, and keeps the artifacts' bucket from the public", () => {
    expect(ofType(template, "AWS::SQS::Queue")).toMatchObject([{ SqsManagedSseEnabled: true }]);
    expect(ofType(template, "AWS::S3::Bucket")).toMatchObject([
      { BucketEncryption: expect.anything(), PublicAccessBlockConfiguration: { BlockPublicPolicy: true } },
    ]);
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

describe("docs/deploy.md", () => {
  it("has the table of settings that the schema makes (UPDATE_GOLDEN=1 writes it)", () => {
    const page = readFileSync("docs/deploy.md", "utf8");
    const table = settingsTable();
    const written = page.replace(/\| setting \| default \|[^\n]*\n(\|[^\n]*\n)*/, table);
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync("docs/deploy.md", written);
    expect(page).toContain(table);
  });
});
