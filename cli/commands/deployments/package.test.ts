import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeServer, fakeObjectStore, startFakeServer } from "@outrigger/fake-aws";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeIo } from "../../../test/cli/fake-io.ts";
import { main } from "../../main.ts";

const resource = (name: string) => ({
  Type: "AWS::Lambda::Function",
  Properties: {
    Code: { S3Bucket: { Ref: "ServerlessDeploymentBucket" }, S3Key: `serverless/outrigger/prod/1-2026/${name}.zip` },
    MemorySize: 128,
  },
});
const TEMPLATE = {
  Description: "Outrigger prod",
  Conditions: { HasBucket: { "Fn::Equals": ["a", "a"] } },
  Resources: {
    ServerlessDeploymentBucket: { Type: "AWS::S3::Bucket" },
    ServerlessDeploymentBucketPolicy: { Type: "AWS::S3::BucketPolicy" },
    InjectLambdaFunction: resource("inject"),
    PublishLambdaFunction: resource("publish"),
  },
  Outputs: { ServerlessDeploymentBucketName: { Value: "x" }, Url: { Value: "https://a.example" } },
  Metadata: { Outrigger: { Settings: { ttl: "20" } } },
};
const BUCKET = {
  "Fn::If": [
    "HasArtifactBucketPerRegion",
    { "Fn::Join": ["-", [{ Ref: "ArtifactBucket" }, { Ref: "AWS::Region" }]] },
    { Ref: "ArtifactBucket" },
  ],
};
const keyOf = (name: string, content: string | Buffer, extension = "zip") =>
  `outrigger/${name}-${createHash("sha256").update(content).digest("hex")}.${extension}`;

describe("outrigger package", () => {
  let cwd: string;
  let provider: object;
  let asked: { readonly words: readonly string[]; readonly compares: string | undefined }[];
  let server: FakeServer;
  const objects = fakeObjectStore();
  beforeAll(async () => {
    server = await startFakeServer({ objects });
  });
  afterAll(() => server.close());
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), "outrigger-packaging-"));
    mkdirSync(join(cwd, "service"));
    writeFileSync(join(cwd, "service/serverless.yml"), "service: outrigger\n");
    writeFileSync(join(cwd, "service/osls-version"), "4.3.1\n");
    asked = [];
    // The SDK finds credentials in the process's own environment.
    vi.stubEnv("AWS_ACCESS_KEY_ID", "testing");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "testing");
    provider = { region: "eu-west-1", stackTags: { service: "outrigger", stage: "prod" } };
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(cwd, { recursive: true });
  });

  async function run(line: string, zips = { inject: "code of inject", publish: "code of publish" }) {
    const io = fakeIo({
      cwd,
      env: { AWS_ENDPOINT_URL: server.url },
      service: join(cwd, "service"),
      run: async (_command, words, { env }) => {
        asked.push({ words: words.slice(2), compares: env["OUTRIGGER_COMPARE"] });
        const folder = words[words.indexOf("--package") + 1] ?? "";
        const put = (file: string, content: unknown) =>
          writeFileSync(join(folder, file), typeof content === "string" ? content : JSON.stringify(content));
        put("cloudformation-template-update-stack.json", TEMPLATE);
        put("serverless-state.json", { service: { provider } });
        for (const [name, content] of Object.entries(zips)) put(`${name}.zip`, content);
        return 0;
      },
    });
    return { code: await main(line.split(" "), io), out: io.out(), err: io.err() };
  }

  const json = (file: string) => JSON.parse(readFileSync(join(cwd, file), "utf8"));

  it("writes a template with code under keys that name its content, in a bucket that who deploys it names", async () => {
    expect(await run("package --stage prod --output out --param ttl=20")).toMatchObject({ code: 0, err: "" });
    expect(asked).toEqual([
      {
        words: ["package", "--package", expect.any(String), "--stage", "prod", "--param", "ttl=20"],
        compares: undefined,
      },
    ]);
    expect(existsSync(asked[0]?.words[2] ?? "")).toBe(false);
    const { Resources, Outputs, Parameters, ...rest } = json("out/template.json");
    expect(Object.keys(Resources)).toEqual(["InjectLambdaFunction", "PublishLambdaFunction"]);
    expect(Resources.InjectLambdaFunction.Properties).toEqual({
      Code: { S3Bucket: BUCKET, S3Key: keyOf("inject", "code of inject") },
      MemorySize: 128,
    });
    expect(Outputs).toEqual({ Url: TEMPLATE.Outputs.Url });
    expect(Parameters).toMatchObject({ ArtifactBucket: { Type: "String" }, BucketPerRegion: { Default: "false" } });
    expect(Parameters.ArtifactBucket).not.toHaveProperty("Default");
    expect(rest).toEqual({
      Description: TEMPLATE.Description,
      Conditions: {
        ...TEMPLATE.Conditions,
        HasArtifactBucketPerRegion: { "Fn::Equals": [{ Ref: "BucketPerRegion" }, "true"] },
      },
      Metadata: TEMPLATE.Metadata,
    });
    expect(json("out/configuration.json")).toEqual({ Parameters: {}, Tags: { service: "outrigger", stage: "prod" } });
    const template = readFileSync(join(cwd, "out/template.json"));
    expect(
      readdirSync(join(cwd, "out/outrigger"))
        .map((name) => `outrigger/${name}`)
        .sort(),
    ).toEqual(
      [
        keyOf("inject", "code of inject"),
        keyOf("publish", "code of publish"),
        keyOf("template", template, "json"),
      ].sort(),
    );
  });

  it("prints the commands that upload and deploy it", async () => {
    provider = {
      ...provider,
      iam: { deploymentRole: "arn:aws:iam::123456789012:role/cfn" },
      stackTags: { owner: "a b" },
    };
    const { out } = await run("package --stage prod --output out --profile me");
    expect(out).toContain(
      "  aws s3 cp --recursive out/outrigger/ s3://BUCKET/outrigger/ --region eu-west-1 --profile me\n" +
        "  aws cloudformation deploy --stack-name outrigger-prod --template-file out/template.json --s3-bucket BUCKET " +
        "--s3-prefix outrigger --parameter-overrides ArtifactBucket=BUCKET --capabilities CAPABILITY_NAMED_IAM " +
        "--role-arn arn:aws:iam::123456789012:role/cfn --tags 'owner=a b' --region eu-west-1 --profile me\n",
    );
  });

  it("uploads it to a bucket, compares with the stack, and is the same for the same code", async () => {
    const { code, out, err } = await run("package --stage prod --bucket team-artifacts");
    expect([code, err]).toEqual([0, ""]);
    expect(asked[0]?.compares).toBe("on");
    const { Parameters } = json("outrigger-package/template.json");
    expect(Parameters.ArtifactBucket).toMatchObject({ Default: "team-artifacts" });
    expect(json("outrigger-package/configuration.json").Parameters).toEqual({ ArtifactBucket: "team-artifacts" });
    const template = readFileSync(join(cwd, "outrigger-package/template.json"));
    const key = keyOf("template", template, "json");
    expect([...objects.objectTable().keys()].sort()).toEqual(
      [keyOf("inject", "code of inject"), keyOf("publish", "code of publish"), key]
        .map((one) => `team-artifacts/${one}`)
        .sort(),
    );
    expect(out).toContain(`https://team-artifacts.s3.eu-west-1.amazonaws.com/${key}\n`);
    expect(out).not.toContain("aws s3 cp");
    expect(out).toContain("  aws cloudformation deploy --stack-name outrigger-prod ");
    await run("package --stage prod --bucket team-artifacts");
    expect(objects.objectTable().size).toBe(3);
  });

  it("keeps no code of an earlier version in its directory, and nothing else goes", async () => {
    await run("package --output out");
    writeFileSync(join(cwd, "out/outrigger/notes.txt"), "mine");
    await run("package --output out", { inject: "newer code", publish: "code of publish" });
    const names = readdirSync(join(cwd, "out/outrigger")).map((name) => `outrigger/${name}`);
    expect(names).toContain(keyOf("inject", "newer code"));
    expect(names).toContain("outrigger/notes.txt");
    expect(names).toHaveLength(4);
  });

  it("says which object cannot be uploaded, and why", async () => {
    const refusing = await startFakeServer({
      objects: fakeObjectStore({ fault: () => ({ kind: "error", name: "AccessDenied", status: 403 }) }),
    });
    const before = server;
    server = refusing;
    const { code, err } = await run("package --stage prod --bucket team-artifacts");
    server = before;
    await refusing.close();
    expect(code).toBe(3);
    expect(err).toContain(`Cannot write s3://team-artifacts/${keyOf("inject", "code of inject")}: `);
    expect(err).toContain("the credentials do not allow s3:PutObject");
  });

  it.each([
    ["package --bucket Team.Artifacts", "A bucket has 3 to 63 lower-case letters, digits and dashes"],
    ["package --stage prod --output service/osls-version", "Cannot write"],
  ])("refuses %s", async (line, message) => {
    expect(await run(line)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });
});
