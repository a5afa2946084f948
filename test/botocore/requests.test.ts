// Every request that functions, the command line tool and the deployment send to AWS, judged by AWS's own models and signed
// as AWS's own test suite says. What botocore knows is in models.json and signatures.json: pack-models.ts writes them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { EKSClient } from "@aws-sdk/client-eks";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import {
  publishedPrefixes,
  signedObjectStore,
  signedParameterReader,
  signedStackStatus,
  ssmParameterStore,
} from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import {
  connectEks,
  deploymentAlarms,
  deploymentMetrics,
  findWebhookUrl,
  publisherOf,
  runChecks,
} from "@outrigger/cluster";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readToken } from "../../functions/canary/read-token.ts";
import { editorOf, takeOffLabels } from "../../functions/publish/parameter-history.ts";
import { readClusterRecord } from "../../functions/register/read-cluster-record.ts";
import { awsRequest } from "../../infra/aws-request.ts";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { noCallsAlarm } from "../support/no-calls-alarm.ts";
import { LAYOUT } from "../support/stored-snapshot.ts";
import { judgeRequest } from "./judge-request.ts";
import type { Model, RecordedRequest, SignatureCase } from "./model.ts";
import { type RecordingServer, startRecordingServer } from "./recording-server.ts";
import { signatureOf } from "./verify-signature.ts";

const read = (name: string) => JSON.parse(readFileSync(join(projectRoot, "test/botocore", name), "utf8"));
const { models }: { readonly models: Readonly<Record<string, Model>> } = read("models.json");
const { cases }: { readonly cases: readonly SignatureCase[] } = read("signatures.json");

const KEY = "AKIDEXAMPLE";
const SECRET = "secret";
const REGION = "eu-west-1";
/** The first page of a list of objects. */
const PAGE = "/team-releases/?list-type=2&prefix=outrigger%2Fprod%2Fobjects%2F";
let server: RecordingServer;

beforeAll(async () => {
  server = await startRecordingServer({
    "AmazonSSM.GetParameterHistory": JSON.stringify({
      Parameters: [{ Name: LAYOUT.head, Version: 3, Labels: ["old"] }],
    }),
    [PAGE]: "<IsTruncated>true</IsTruncated><NextContinuationToken>a/b+c=</NextContinuationToken>",
  });
  await sendEverything(server.url);
});

afterAll(() => server.close());

/** One call of everything that constructs a command. Each fails, because the server refuses it. */
async function sendEverything(endpoint: string): Promise<void> {
  const config = {
    region: REGION,
    endpoint,
    credentials: { accessKeyId: KEY, secretAccessKey: SECRET, sessionToken: "session" },
    maxAttempts: 1,
  };
  const env = { AWS_REGION: REGION, AWS_ENDPOINT_URL: endpoint, AWS_ACCESS_KEY_ID: KEY, AWS_SECRET_ACCESS_KEY: SECRET };
  const ssm = new SSMClient(config);
  const patience = { attempts: 1, timeout: 10_000, sleep: async () => {} };
  const objects = signedObjectStore({ env, bucket: "team-releases", ...patience });
  const store = ssmParameterStore(ssm, objects);
  const names = [LAYOUT.head, ...Array.from({ length: 9 }, (_, index) => LAYOUT.mirrorPart(index))];
  const watch = new CloudWatchClient(config);
  const alarms = deploymentAlarms(watch, "prod", REGION);
  const stacks = new CloudFormationClient(config);
  const lambda = new LambdaClient(config);
  const logs = new CloudWatchLogsClient(config);
  const slot = { cluster: "shop-eu", slot: 1, since: 0, now: 600_000 } as const;
  const refuse = async () => {
    throw new OutriggerError("interrupted", "not looked at");
  };
  const request = awsRequest(async () => config);
  const write = { name: LAYOUT.head, value: "{}", overwrite: true };
  const key = `outrigger/prod/objects/${"0".repeat(64)}`;
  const calls: readonly (() => Promise<unknown>)[] = [
    () => objects.getObject(key),
    () => objects.putObject({ key, text: "compressed" }),
    () => objects.putObject({ key, text: "compressed", replaces: null }),
    () => objects.putObject({ key, text: "compressed", replaces: '"0f0f"' }),
    () => objects.emptyFolder("outrigger/prod/objects/"),
    () => objects.deleteObject(key),
    () => objects.listObjects("outrigger/prod/objects/"),
    () => signedParameterReader(env, "team-releases").getParameters(names),
    () => store.getParameters(names),
    () => store.getParametersByPath({ path: `${LAYOUT.prefix}/source` }),
    () => store.getParametersByPath({ path: `${LAYOUT.prefix}/source`, next: "next" }),
    () => store.putParameter({ ...write, tier: "Standard" }),
    () => store.putParameter({ ...write, overwrite: false, tier: "Advanced" }),
    () => store.deleteParameters(names),
    () => publishedPrefixes(ssm),
    () => editorOf(ssm)({ name: LAYOUT.head, version: 3 }),
    () => takeOffLabels(ssm)(LAYOUT.head),
    () => readClusterRecord(ssm, LAYOUT.cluster("shop-eu")),
    () => readToken(ssm, "/outrigger/prod/canary/token", 5000),
    () => ssm.send(new PutParameterCommand({ Name: "/a", Value: "x", Type: "SecureString", Overwrite: false })),
    () => signedStackStatus("arn:aws:cloudformation:eu-west-1:123456789012:stack/outrigger-prod/1", env),
    () => findWebhookUrl({ cloudFormation: stacks, lambda, region: REGION }, "prod"),
    () =>
      runChecks({
        deployment: "prod",
        store,
        layout: LAYOUT,
        aws: { cloudFormation: stacks, cloudWatch: watch, logs, lambda, region: REGION },
        caller: refuse,
        readChannels: refuse,
        readClusters: refuse,
        readRecord: refuse,
        readServed: refuse,
        sourceDifference: refuse,
        shippedTree: refuse,
        istioNamespace: "istio-system",
        readRunning: refuse,
        flags: "",
        isEarly: false,
        now: () => 0,
      }),
    () =>
      publisherOf(lambda, "outrigger-prod-publish", { region: REGION, version: "1.2.3" })({
        action: "repair",
        cause: { by: "a", why: "b" },
      }),
    () => alarms.isCanaryFailing(),
    () => deploymentMetrics(watch, "prod", REGION).countTokenCalls(slot),
    () => deploymentMetrics(watch, "prod", REGION).lostCalls(slot),
    () => deploymentMetrics(watch, "prod", REGION).countReleases({ releases: ["0a1b", "2c3d"], ...slot }),
    () => alarms.noCalls.put("shop-eu"),
    () => alarms.noCalls.remove("shop-eu"),
    () =>
      connectEks(new EKSClient(config), "shop-eu", { region: REGION, sleep: async () => {}, remediation: () => "" }),
    () => request("sts:GetCallerIdentity", {}),
    () => request("cloudformation:GetTemplate", { StackName: "outrigger-prod" }),
    () => request("cloudformation:ListStackResources", { StackName: "outrigger-prod" }),
    () => request("iam:ListEntitiesForPolicy", { PolicyArn: "arn:aws:iam::123456789012:policy/outrigger" }),
    () => request("cloudwatch:DescribeAlarms", { AlarmNamePrefix: "outrigger-prod-" }),
    async () => request("cloudwatch:PutMetricAlarm", { Alarm: JSON.stringify(await noCallsAlarm("prod", "shop-eu")) }),
    () => request("apigateway:GetStage", { ApiId: "a1b2c3", StageName: "$default" }),
    () =>
      request("apigateway:DeleteRouteSettings", {
        ApiId: "a1b2c3",
        StageName: "$default",
        RouteKey: "POST /t/{token}",
      }),
    () =>
      request("apigateway:UpdateStage", {
        ApiId: "a1b2c3",
        StageName: "$default",
        RouteSettings: JSON.stringify({ "POST /t/{token}": { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 25 } }),
      }),
  ];
  await Promise.allSettled(calls.map((call) => call()));
}

function authorizationOf({ headers }: RecordedRequest): string {
  return headers.find(([name]) => name.toLowerCase() === "authorization")?.[1] ?? "";
}

describe("a request to AWS", () => {
  it("is what the service's model allows", () => {
    const judged = server.requests.map((request) => judgeRequest(request, models));
    expect(judged.filter(({ faults }) => faults.length > 0)).toEqual([]);
    expect(judged.length).toBeGreaterThanOrEqual(38);
  });

  it("is recorded for every operation that the product calls", () => {
    const recorded = new Set(server.requests.map((request) => judgeRequest(request, models).operation.split(":")[1]));
    expect([...recorded].sort()).toEqual([...calledOperations()].sort());
  });

  it("is signed as AWS signs it", () => {
    for (const request of server.requests) {
      const header = authorizationOf(request);
      expect(signatureOf(request, header, KEY, SECRET).header).toBe(header);
    }
  });

  it("fails the model when a member is misspelt, missing, too many or of another type", () => {
    const [sent] = server.requests.filter((request) => judgeRequest(request, models).operation === "ssm:GetParameters");
    const faultsWith = (body: object) =>
      judgeRequest({ ...(sent as RecordedRequest), body: JSON.stringify(body) }, models).faults;
    expect(faultsWith({ Names: Array(11).fill("/a") })).toEqual(["GetParameters.Names is 11, and must be 1 to 10"]);
    expect(faultsWith({ names: ["/a"] })).toEqual([
      "GetParameters.Names is missing",
      "GetParameters has no member names",
    ]);
    expect(faultsWith({ Names: [1] })).toEqual(["GetParameters.Names[0] is no string"]);
    const [listed] = server.requests.filter(({ url }) => url === PAGE);
    const other = { ...(listed as RecordedRequest), url: PAGE.replace("prefix", "Prefix") };
    expect(judgeRequest(other, models).faults).toEqual(["ListObjectsV2 has no member ?Prefix"]);
  });
});

/** The calls of the port that have other names than S3's operations. */
const OPERATIONS: Readonly<Record<string, string>> = {
  listObjects: "ListObjectsV2",
  emptyFolder: "ListObjectVersions",
};

/** Every command that is constructed in the product, every target that is written by hand, and the calls of S3. */
function calledOperations(): ReadonlySet<string> {
  const folders = ["lib", "cli", "functions", "infra"];
  const files = folders.flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(ts|cjs)$/.test(file) && !file.endsWith(".test.ts"))
      .map((file) => join(projectRoot, folder, file)),
  );
  const code = files.map((file) => readFileSync(file, "utf8")).join("\n");
  const found = [
    ...code.matchAll(/new (\w+)Command\(|\bpaginate(\w+)\(|"AmazonSSM\.(\w+)"|URLSearchParams\(\{ Action: "(\w+)"/g),
  ];
  const store = readFileSync(join(projectRoot, "lib/aws/bucket/object-store.ts"), "utf8");
  const objects = [...store.matchAll(/^ {2}(?:readonly )?(\w+): OutsideCall\b/gm)].map(
    ([, name = ""]) => OPERATIONS[name] ?? name.replace(/^./, (letter) => letter.toUpperCase()),
  );
  return new Set([...objects, ...found.map(([, ...names]) => names.find((name) => name !== undefined) ?? "")]);
}

/** The suite has it in what is signed, not in the request. */
const SESSION = ["x-amz-security-token", "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"] as const;

describe("signatureOf()", () => {
  it.each(cases.map((one) => [one.name, one] as const))("agrees with AWS's test suite: %s", (_name, one) => {
    const given = requestOf(one.request);
    const isSession = one.name === "get-vanilla-with-session-token";
    const request = isSession ? { ...given, headers: [...given.headers, SESSION] } : given;
    const signed = signatureOf(request, one.header, "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
    expect(signed).toEqual({ canonical: one.canonical, toSign: one.toSign, header: one.header });
  });
});

/** A line that begins with a space continues the header before it. */
function requestOf(text: string): RecordedRequest {
  const [head = "", ...body] = text.split("\n\n");
  const [first = "", ...lines] = head.replace(/\n +/g, " ").split("\n");
  const headers = lines
    .filter((line) => line !== "")
    .map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at), line.slice(at + 1)] as const;
    });
  const [, method = "", url = ""] = /^(\S+) (.*) HTTP\/1\.1$/.exec(first) ?? [];
  return { method, url, headers, body: body.join("\n\n") };
}
