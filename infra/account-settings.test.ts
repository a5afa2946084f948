import { describe, expect, it } from "vitest";
import { withAccountSettings } from "./account-settings.ts";

const KEY = "arn:aws:kms:eu-west-1:123456789012:key/1111-2222";
const BOUNDARY = "arn:aws:iam::123456789012:policy/boundary";
const NONE = { permissionsBoundary: "", kmsKey: "", tracing: "off" };
const policies = () => [{ PolicyName: "p", PolicyDocument: { Statement: [{ Action: "a:B" }] } }];
const template = {
  Resources: {
    InjectRole: { Type: "AWS::IAM::Role", Properties: { Policies: policies() } },
    PublishRole: { Type: "AWS::IAM::Role", Properties: { Policies: policies() } },
    GatewayLogRole: { Type: "AWS::IAM::Role", Properties: {} },
    Logs: { Type: "AWS::Logs::LogGroup", Properties: { LogGroupName: "n" } },
    Queue: { Type: "AWS::SQS::Queue", Properties: { SqsManagedSseEnabled: true } },
    Topic: { Type: "AWS::SNS::Topic" },
    PublishLambdaFunction: { Type: "AWS::Lambda::Function", Properties: { Environment: { Variables: { A: "1" } } } },
    RestApiStage: { Type: "AWS::ApiGateway::Stage", Properties: { StageName: "dev" } },
  },
};
const statements = (resource: unknown) =>
  (
    resource as { Properties: { Policies: { PolicyDocument: { Statement: unknown[] } }[] } }
  ).Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);

describe("withAccountSettings()", () => {
  it("changes nothing without settings", () => {
    expect(withAccountSettings(template, NONE)).toBe(template);
  });

  it("gives every role the boundary", () => {
    const { Resources } = withAccountSettings(template, { ...NONE, permissionsBoundary: BOUNDARY });
    for (const id of ["InjectRole", "PublishRole", "GatewayLogRole"])
      expect(Resources[id]?.Properties).toMatchObject({ PermissionsBoundary: BOUNDARY });
    expect(Resources["Logs"]).toEqual(template.Resources.Logs);
  });

  it("encrypts logs, dead letters and topic with the key, and lets the publish function use it", () => {
    const { Resources } = withAccountSettings(template, { ...NONE, kmsKey: KEY });
    expect(Resources["Logs"]?.Properties).toEqual({ LogGroupName: "n", KmsKeyId: KEY });
    expect(Resources["Queue"]?.Properties).toEqual({ KmsMasterKeyId: KEY });
    expect(Resources["Topic"]?.Properties).toEqual({ KmsMasterKeyId: KEY });
    expect(Resources["PublishLambdaFunction"]?.Properties).toEqual({
      Environment: { Variables: { A: "1", OUTRIGGER_KMS_KEY: KEY } },
    });
    expect(statements(Resources["PublishRole"])[1]).toMatchObject({ Resource: KEY });
    expect(statements(Resources["InjectRole"])).toHaveLength(1);
  });

  it("traces functions and no API, and lets each function's role send traces", () => {
    const { Resources } = withAccountSettings(template, { ...NONE, tracing: "on" });
    expect(Resources["PublishLambdaFunction"]?.Properties).toMatchObject({ TracingConfig: { Mode: "Active" } });
    expect(Resources["RestApiStage"]).toEqual(template.Resources["RestApiStage"]);
    for (const id of ["InjectRole", "PublishRole"])
      expect(statements(Resources[id])[1]).toMatchObject({
        Action: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"],
      });
    expect(Resources["GatewayLogRole"]).toEqual(template.Resources.GatewayLogRole);
  });
});
