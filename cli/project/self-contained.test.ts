import { createHash } from "node:crypto";
import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { selfContained } from "./self-contained.ts";

const ZIP = new TextEncoder().encode("code");
const zips = new Map([["inject", ZIP]]);
const lambda = (key: string) => ({
  Type: "AWS::Lambda::Function",
  Properties: { Code: { S3Bucket: { Ref: "ServerlessDeploymentBucket" }, S3Key: key }, MemorySize: 512 },
});
const packaged = (more: JsonObject = {}): JsonObject => ({
  Description: "Outrigger",
  Resources: {
    ServerlessDeploymentBucket: { Type: "AWS::S3::Bucket" },
    ServerlessDeploymentBucketPolicy: { Type: "AWS::S3::BucketPolicy" },
    InjectLambdaFunction: lambda("serverless/outrigger/dev/1767225600000/inject.zip"),
    Alarm: { Type: "AWS::CloudWatch::Alarm", Properties: { Threshold: 1 } },
    ...more,
  },
  Outputs: { ServerlessDeploymentBucketName: { Value: "b" }, Url: { Value: "u" } },
  Conditions: { IsOwn: { "Fn::Equals": ["a", "b"] } },
});
const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

describe("selfContained()", () => {
  const { template, templateKey, objects } = selfContained(packaged(), zips, "artifacts");
  const read = JSON.parse(template);

  it("takes the code from a bucket that is a parameter, by keys that name the content", () => {
    const key = `outrigger/inject-${sha256(ZIP)}.zip`;
    expect(read.Resources.InjectLambdaFunction.Properties).toEqual({
      Code: {
        S3Bucket: {
          "Fn::If": [
            "HasArtifactBucketPerRegion",
            { "Fn::Join": ["-", [{ Ref: "ArtifactBucket" }, { Ref: "AWS::Region" }]] },
            { Ref: "ArtifactBucket" },
          ],
        },
        S3Key: key,
      },
      MemorySize: 512,
    });
    expect(read.Resources.InjectLambdaFunction.Type).toBe("AWS::Lambda::Function");
    expect(templateKey).toBe(`outrigger/template-${sha256(template)}.json`);
    expect([...objects.keys()]).toEqual([key, templateKey]);
    expect([objects.get(key), new TextDecoder().decode(objects.get(templateKey))]).toEqual([ZIP, template]);
  });

  it("asks for the bucket, and whether it is one per Region, which is true or false", () => {
    expect(read.Parameters).toEqual({
      ArtifactBucket: { Type: "String", Description: expect.any(String), Default: "artifacts" },
      BucketPerRegion: {
        Type: "String",
        Description: expect.any(String),
        Default: "false",
        AllowedValues: ["false", "true"],
      },
    });
    expect(read.Conditions).toEqual({
      IsOwn: { "Fn::Equals": ["a", "b"] },
      HasArtifactBucketPerRegion: { "Fn::Equals": [{ Ref: "BucketPerRegion" }, "true"] },
    });
    const unnamed = JSON.parse(selfContained(packaged(), zips, undefined).template);
    expect(unnamed.Parameters.ArtifactBucket).not.toHaveProperty("Default");
  });

  it("leaves out the framework's own bucket, and the rest as it is, a line for each entry", () => {
    expect(read).toMatchObject({ Description: "Outrigger", Outputs: { Url: { Value: "u" } } });
    expect(Object.keys(read.Outputs)).toEqual(["Url"]);
    expect(Object.keys(read.Resources)).toEqual(["InjectLambdaFunction", "Alarm"]);
    expect(read.Resources.Alarm).toEqual({ Type: "AWS::CloudWatch::Alarm", Properties: { Threshold: 1 } });
    expect(template).toMatch(/^\{\n "Description": "Outrigger",\n[\s\S]*\n\}\n$/);
  });

  it("throws for a function without a zip", () => {
    const other = packaged({ PublishLambdaFunction: lambda("serverless/outrigger/dev/1767225600000/publish.zip") });
    expect(() => selfContained(other, zips, undefined)).toThrow("no zip for the function publish");
  });
});
