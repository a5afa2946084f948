// A deploy, and one that is rolled back: the functions of the last release and of today, built and each in a process of its own, on what the
// other has written. Without git's history there is no last release, and the tests are skipped.
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { type FakeServer, startFakeServer } from "@outrigger/fake-aws";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { eventOf } from "../support/gateway-event.ts";
import { buildReleased, released } from "../support/last-release.ts";
import { sha256Of, tokenOf } from "../support/tokens.ts";

const PREFIX = "/outrigger/dev";
const STACK = "arn:aws:cloudformation:us-east-1:1:stack/outrigger-dev/1";
const TOKEN = tokenOf("east-");
const FOLDER = ".runtime/last-release";
const cause = { by: "ann", why: "" };

/** The path of a bundle of a version. */
type Version = (name: string) => string;

const today: Version = (name) => resolve(`dist/functions/${name}/index.cjs`);

/** Calls a function with events in turn. What CloudFormation is answered is printed as what was returned. */
const CALL = `
const [, file, context, ...events] = process.argv;
let answered;
globalThis.fetch = async (url, { body }) => ((answered = JSON.parse(body)), { ok: true, status: 200 });
const { handler } = require(file);
(async () => {
  const results = [];
  for (const event of events) results.push((await handler(JSON.parse(event), JSON.parse(context))) ?? answered);
  console.log(JSON.stringify(results));
  process.exit(0);
})();
`;

describe.skipIf(released === undefined)("a deploy of today's version over the last release", () => {
  let last: Version;
  let server: FakeServer;

  beforeAll(() => {
    last = buildReleased(["inject", "publish"], FOLDER);
  });
  afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));
  beforeEach(async () => {
    server = await startFakeServer();
  });
  afterEach(() => server.close());

  async function call(file: string, events: readonly unknown[], context: object = {}) {
    const env = {
      AWS_ENDPOINT_URL: server.url,
      AWS_ENDPOINT_URL_SSM: server.url,
      AWS_ENDPOINT_URL_S3: server.url,
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "b",
      OUTRIGGER_PREFIX: PREFIX,
      // The last release has it only where releases are too large for parameters.
      ...(file.includes(FOLDER) ? {} : { OUTRIGGER_RELEASE_BUCKET: "team-releases" }),
      OUTRIGGER_STAGE: "dev",
      OUTRIGGER_STACK: STACK,
      OUTRIGGER_BUNDLED_FALLBACK: "off",
    };
    const args = ["-e", CALL, file, JSON.stringify(context), ...events.map((event) => JSON.stringify(event))];
    const { stdout } = await promisify(execFile)(inject("deployedNode"), args, { env, maxBuffer: 1 << 26 });
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  }

  const edit = (hub: string) =>
    server.service.call("PutParameter", {
      Name: `${PREFIX}/source/values/50-mine`,
      Value: `global:\n  hub: ${hub}\n`,
      Type: "String",
      Overwrite: true,
    });

  /** Publishes an edit, as a person does. */
  async function publish(version: Version, hub: string): Promise<void> {
    await edit(hub);
    const [published] = await call(version("publish"), [{ action: "publish", cause }]);
    expect(published).toMatchObject({ ok: true, changed: true, channel: "stable" });
  }

  /** What every test begins with: the last release has published an edit, and knows a cluster. */
  async function begin(hub: string): Promise<void> {
    await edit(hub);
    const tokens = [{ sha256: sha256Of(TOKEN), created: "2026-01-02T03:04:05Z" }];
    const record = { revisions: { default: "stable" }, arn: "", tokens };
    const events = [
      { action: "publish", cause },
      { action: "put-cluster", cluster: "east", record, cause },
    ];
    const [published, registered] = await call(last("publish"), events);
    expect(published).toMatchObject({ ok: true, changed: true, channel: "stable" });
    expect(registered).toMatchObject({ ok: true });
  }

  /** CloudFormation's two resources, in their order: in a rollback, they are updated once more. */
  async function deploy(version: Version): Promise<readonly unknown[]> {
    const eventFor = (LogicalResourceId: string) => ({
      RequestType: "Update",
      ResponseURL: "https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com/x",
      StackId: STACK,
      RequestId: "1",
      LogicalResourceId,
      PhysicalResourceId: "x",
      ResourceType: "Custom::Outrigger",
    });
    const invokedFunctionArn = "arn:aws:lambda:us-east-1:1:function:outrigger-dev-publish:deploy-hook";
    return call(version("publish"), [eventFor("CheckRelease"), eventFor("PublishRelease")], { invokedFunctionArn });
  }

  /** The image of the proxy that a pod gets in a process that starts now, without any fallback. */
  async function imageBy(version: Version): Promise<string> {
    const pod = { metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "web:1" }] } };
    const event = eventOf({ object: pod, namespace: "shop", path: `/t/${TOKEN}/inject` });
    const [{ statusCode, body }] = await call(version("inject"), [event]);
    expect({ statusCode, body }).toMatchObject({ statusCode: 200 });
    const patch = Buffer.from(JSON.parse(body).response.patch, "base64").toString();
    return /"image":"([^"]*proxyv2[^"]*)"/.exec(patch)?.[1]?.split(":")[0] ?? patch;
  }

  const deployed = [
    expect.objectContaining({ Status: "SUCCESS", LogicalResourceId: "CheckRelease" }),
    expect.objectContaining({ Status: "SUCCESS", LogicalResourceId: "PublishRelease" }),
  ];

  it("serves what the last release has published, before anything is converted", async () => {
    await begin("one.example");
    expect(await imageBy(last)).toBe("one.example/proxyv2");
    expect(await imageBy(today)).toBe("one.example/proxyv2");
  });

  it("may be rolled back: the last release reads the mirror of the deploy, and what was published after it", async () => {
    await begin("one.example");
    expect(await deploy(today)).toEqual(deployed);
    expect(await imageBy(last)).toBe("one.example/proxyv2");
    await publish(today, "two.example");
    for (const version of [last, today]) expect(await imageBy(version)).toBe("two.example/proxyv2");
  });

  it("may be rolled back, and made again: either version publishes on what the other has left", async () => {
    await begin("one.example");
    expect(await deploy(today)).toEqual(deployed);
    expect(await deploy(last)).toEqual(deployed);
    await publish(last, "two.example");
    for (const version of [last, today]) expect(await imageBy(version)).toBe("two.example/proxyv2");
    expect(await deploy(today)).toEqual(deployed);
    for (const version of [last, today]) expect(await imageBy(version)).toBe("two.example/proxyv2");
  });
});
