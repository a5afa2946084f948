// A template that CloudFormation takes from every caller: the one that osls packages, with the code under keys that name its content,
// in a bucket that is a parameter. Pure: files are passed in and out.
import { createHash } from "node:crypto";
import { basename } from "node:path/posix";
import { defined, isObject, type JsonObject, objectOf, textOf } from "@outrigger/base";

export type SelfContained = ReturnType<typeof selfContained>;

/** Everything that is in the bucket is below it. */
export const KEYS = "outrigger/";

/** The names of what osls adds for the bucket that it makes for the code. */
const FRAMEWORK_BUCKET = /^ServerlessDeploymentBucket/;

/**
 * The template without the framework's own bucket, as text with one resource after another, so that a diff of two can be read; and what
 * has to be in the bucket before it is deployed, by its key: the same content has the same key.
 *
 * @param template `cloudformation-template-update-stack.json` of osls
 * @param zips function → its zip
 * @param bucket where the code will be; left out, who deploys names it
 */
export function selfContained(template: JsonObject, zips: ReadonlyMap<string, Uint8Array>, bucket: string | undefined) {
  const code = new Map([...zips].map(([name, bytes]) => [name, keyOf(name, bytes, "zip")]));
  const { Resources, Outputs, Conditions, ...rest } = template;
  const text = `${JSON.stringify(
    {
      ...rest,
      Parameters: {
        ArtifactBucket: {
          Type: "String",
          Description: "The bucket, in the Region of the stack, with the code of the functions",
          ...defined({ Default: bucket }),
        },
        BucketPerRegion: {
          Type: "String",
          Description: "Whether the name of the bucket continues with a dash and the Region, for StackSets",
          Default: "false",
          AllowedValues: ["false", "true"],
        },
      },
      Conditions: { ...objectOf(Conditions), [IS_PER_REGION]: { "Fn::Equals": [{ Ref: "BucketPerRegion" }, "true"] } },
      Resources: mapped(Resources, (resource) => withCode(resource, code)),
      Outputs: mapped(Outputs, (output) => output),
    },
    undefined,
    1,
  )}\n`;
  const bytes = new TextEncoder().encode(text);
  const templateKey = keyOf("template", bytes, "json");
  const objects = new Map([...zips].map(([name, zip]) => [code.get(name) ?? "", zip] as const));
  return { template: text, templateKey, objects: objects.set(templateKey, bytes) };
}

function mapped(entries: unknown, change: (value: JsonObject) => JsonObject): JsonObject {
  const kept = Object.entries(objectOf(entries)).filter(([name]) => !FRAMEWORK_BUCKET.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, change(objectOf(value))]));
}

const IS_PER_REGION = "HasArtifactBucketPerRegion";

/** Lambda takes code from a bucket of its own Region only, and a StackSet has one set of parameters for all. */
const BUCKET = {
  "Fn::If": [
    IS_PER_REGION,
    { "Fn::Join": ["-", [{ Ref: "ArtifactBucket" }, { Ref: "AWS::Region" }]] },
    { Ref: "ArtifactBucket" },
  ],
};

/** osls packages `<function>.zip` under the time at which it did. */
function withCode(resource: JsonObject, code: ReadonlyMap<string, string>): JsonObject {
  const { Properties } = resource;
  if (resource["Type"] !== "AWS::Lambda::Function" || !isObject(Properties)) return resource;
  const name = basename(textOf(objectOf(Properties["Code"])["S3Key"]) ?? "", ".zip");
  const S3Key = code.get(name);
  if (S3Key === undefined) throw new TypeError(`Cannot read the packaged template: no zip for the function ${name}`);
  return { ...resource, Properties: { ...Properties, Code: { S3Bucket: BUCKET, S3Key } } };
}

function keyOf(name: string, bytes: Uint8Array, extension: string): string {
  return `${KEYS}${name}-${createHash("sha256").update(bytes).digest("hex")}.${extension}`;
}
