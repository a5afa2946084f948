import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { printedCommands } from "../../../test/infra/support/printed-commands.ts";
import { inTurn, turnOf } from "../../../test/support/in-turn.ts";
import { runProgram } from "../../../test/support/run-program.ts";
import { fakeObjectStore } from "../fake-object-store.ts";
import { type FakeServer, startFakeServer } from "./http-server.ts";
import { fakeServices, putDeployment } from "./services.ts";

const INJECT = "outrigger-prod-inject";
const RUNBOOKS = join(import.meta.dirname, "../../../docs/runbooks");
const QUEUE = "outrigger-prod-publish-dead-letters";

let server: FakeServer;
beforeAll(async () => {
  const services = fakeServices("us-east-1");
  putDeployment(services, "prod", "https://localhost");
  server = await startFakeServer({ services, objects: fakeObjectStore() });
});
afterAll(() => server?.close());

const ask = async (service: string, method: string, path: string, body?: object, target?: string) => {
  const authorization = `AWS4-HMAC-SHA256 Credential=fake/20261101/us-east-1/${service}/aws4_request, Signature=x`;
  const headers = { authorization, ...(target && { "x-amz-target": target }) };
  const answer = await fetch(`${server.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  return [answer.status, text === "" ? undefined : JSON.parse(text)] as const;
};

describe("a runbook's calls", () => {
  it("reserve concurrency, show it and what is left, and give it back", async () => {
    const path = (name: string) => `/2017-10-31/functions/${name}/concurrency`;
    const shown = () => ask("lambda", "GET", `/2019-09-30/functions/${INJECT}/concurrency`);
    const left = async () => {
      const [, { AccountLimit }] = await ask("lambda", "GET", "/2016-08-19/account-settings/");
      return AccountLimit.UnreservedConcurrentExecutions;
    };
    expect([await shown(), await left()]).toEqual([[200, {}], 1000]);
    await ask("lambda", "PUT", path(INJECT), { ReservedConcurrentExecutions: 300 });
    expect([await shown(), await left()]).toEqual([[200, { ReservedConcurrentExecutions: 300 }], 700]);
    expect(await ask("lambda", "DELETE", path(INJECT))).toEqual([204, undefined]);
    expect(await shown()).toEqual([200, {}]);
    expect((await ask("lambda", "PUT", path("other"), { ReservedConcurrentExecutions: 1 }))[0]).toBe(404);
  });

  it("find an empty queue of dead letters, on this machine, and no other queue", async () => {
    const sqs = (operation: string, body: object) => ask("sqs", "POST", "/", body, `AmazonSQS.${operation}`);
    const [, { QueueUrl }] = await sqs("GetQueueUrl", { QueueName: QUEUE });
    expect(QueueUrl).toBe(`${server.url}/111122223333/${QUEUE}`);
    expect(await sqs("ReceiveMessage", { QueueUrl })).toEqual([200, {}]);
    expect(await sqs("PurgeQueue", { QueueUrl })).toEqual([200, {}]);
    const [status, { message }] = await sqs("GetQueueUrl", { QueueName: "other" });
    expect([status, message]).toEqual([400, "this fake has no queue other"]);
  });

  it("find the queue in the form of older command lines too", async () => {
    const authorization = "AWS4-HMAC-SHA256 Credential=fake/20261101/us-east-1/sqs/aws4_request, Signature=x";
    const asForm = async (path: string, fields: Readonly<Record<string, string>>) => {
      const body = new URLSearchParams({ Version: "2012-11-05", ...fields });
      const answer = await fetch(`${server.url}${path}`, { method: "POST", headers: { authorization }, body });
      return [answer.status, await answer.text()] as const;
    };
    const [status, found] = await asForm("/", { Action: "GetQueueUrl", QueueName: QUEUE });
    expect([status, /<QueueUrl>(.*)<\/QueueUrl>/.exec(found)?.[1]]).toEqual([
      200,
      `${server.url}/111122223333/${QUEUE}`,
    ]);
    const empty = "<PurgeQueueResponse><PurgeQueueResult></PurgeQueueResult></PurgeQueueResponse>";
    expect(await asForm(`/111122223333/${QUEUE}`, { Action: "PurgeQueue" })).toEqual([200, empty]);
    const other = await asForm("/", { Action: "ReceiveMessage", QueueUrl: `${server.url}/111122223333/a<b` });
    expect(other).toEqual([400, expect.stringContaining("this fake has no queue a&lt;b")]);
    const unknown = await asForm("/", { Action: "SendMessage" });
    expect(unknown).toEqual([400, expect.stringContaining("this fake has no sqs SendMessage")]);
  });

  it.each([
    ["logs", "POST", "/", "Logs_20140328.CreateLogGroup", "this fake has no logs CreateLogGroup"],
    [
      "monitoring",
      "POST",
      "/",
      "GraniteServiceVersion20100801.PutDashboard",
      "this fake has no monitoring PutDashboard",
    ],
    ["sqs", "POST", "/", "AmazonSQS.SendMessage", "this fake has no sqs SendMessage"],
    ["eks", "GET", "/clusters", undefined, "this fake has no eks GET /clusters"],
    [
      "lambda",
      "PUT",
      "/2015-03-31/functions/a/code",
      undefined,
      "this fake has no lambda PUT /2015-03-31/functions/a/code",
    ],
  ])("are refused by name: %s %s %s %s", async (service, method, path, target, said) => {
    const [status, { __type, message }] = await ask(service, method, path, method === "GET" ? undefined : {}, target);
    expect([status, __type, message]).toEqual([400, "UnknownOperationException", said]);
  });
});

const { status, stdout } = spawnSync("aws", ["--version"], { encoding: "utf8" });
const hasCli = status === 0;
const isFirst = stdout?.startsWith("aws-cli/1.") === true;

/** What the runbooks print, as a person with the variables of `outrigger start --fake` runs it. */
const printed = readdirSync(RUNBOOKS).flatMap((page) =>
  printedCommands(readFileSync(join(RUNBOOKS, page), "utf8")).map(({ name, words }) => `aws ${name}${words}`),
);

describe.runIf(hasCli)("the AWS CLI, where it is installed", { timeout: 240_000 }, () => {
  const environment = () => ({
    ...process.env,
    ...{ AWS_ENDPOINT_URL: server.url, AWS_REGION: "us-east-1", AWS_DEFAULT_REGION: "us-east-1" },
    ...{ AWS_ACCESS_KEY_ID: "fake", AWS_SECRET_ACCESS_KEY: "fake", AWS_EC2_METADATA_DISABLED: "true" },
  });
  const aws = async (...argv: readonly string[]) => {
    const { code, out, err } = await runProgram("aws", argv, { env: environment(), timeout: 60_000 });
    return { code, said: `${out}${err}`.trim() };
  };

  const itInTurn = inTurn(it, turnOf("Commands of runbooks, by the AWS CLI", 3));

  for (const command of printed)
    itInTurn(`answers a runbook's command, or refuses it by name: ${command}`, async () => {
      await server.service.call("PutParameter", { Name: "/outrigger/prod/serve/head", Value: "head", Type: "String" });
      // Version 1 of the CLI sends SQS's calls to AWS whatever the environment says.
      const there = command.startsWith("aws sqs ") ? ` --endpoint-url ${server.url}` : "";
      const env = { ...environment(), url: `${server.url}/111122223333/${QUEUE}` };
      // And has no option for what it does by itself.
      const words = isFirst ? command.replace("--cli-binary-format raw-in-base64-out", "") : command;
      const { code, out, err } = await runProgram("bash", ["-c", `${words}${there}`], { env, timeout: 60_000 });
      if (code !== 0) expect(`${out}${err}`).toMatch(/this fake has no/);
    });

  it("does what the runbooks say, or is told what this fake has not", async () => {
    const name = ["--function-name", INJECT];
    const put = await aws("lambda", "put-function-concurrency", ...name, "--reserved-concurrent-executions", "300");
    expect(put).toMatchObject({ code: 0, said: expect.stringContaining('"ReservedConcurrentExecutions": 300') });
    // Version 1 of the CLI sends SQS's calls to AWS whatever the environment says.
    const sqs = (...argv: readonly string[]) => aws("sqs", ...argv, "--endpoint-url", server.url);
    const url = await sqs("get-queue-url", "--queue-name", QUEUE, "--query", "QueueUrl", "--output", "text");
    expect(url).toEqual({ code: 0, said: `${server.url}/111122223333/${QUEUE}` });
    expect(await sqs("purge-queue", "--queue-url", url.said)).toEqual({ code: 0, said: "" });
    for (const [argv, said] of [
      [["logs", "create-log-group", "--log-group-name", "x"], "this fake has no logs CreateLogGroup"],
      [
        ["cloudformation", "describe-stack-events", "--stack-name", "outrigger-prod"],
        "this fake has no cloudformation DescribeStackEvents",
      ],
    ] as const) {
      const refused = await aws(...argv);
      expect(refused).toEqual({ code: expect.any(Number), said: expect.stringContaining(said) });
      expect(refused.code).not.toBe(0);
    }
  });
});
