// The canary that is deployed, on the Node that it is deployed on, against Parameter Store's protocol and the real handler.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { readRelease } from "outrigger:bundled-release";
import { type FakeServer, startFakeServer } from "@outrigger/fake-aws";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createHandler } from "../../functions/inject/index.ts";
import { bodyOf, closing, listening } from "../support/loopback.ts";
import { readMetrics } from "../support/read-metrics.ts";

const TOKEN = "c4nary".padEnd(43, "-");
const NAME = "/outrigger/test/canary/token";

let store: FakeServer;
let webhook: Server;
let url: string;

beforeAll(async () => {
  store = await startFakeServer();
  await store.service.call("PutParameter", { Name: NAME, Value: TOKEN, Type: "SecureString" });
  const callers = [{ tokenDigest: createHash("sha256").update(TOKEN).digest(), cluster: { name: "canary" } }];
  const handler = createHandler({ release: readRelease(), callers, write: () => undefined });
  webhook = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url as string, "http://h");
    const { statusCode, body } = await handler({
      rawPath: pathname,
      headers: { "content-type": request.headers["content-type"] },
      queryStringParameters: { timeout: searchParams.get("timeout") ?? undefined },
      requestContext: { stage: "$default", http: { method: request.method as string } },
      body: await bodyOf(request),
    });
    response.writeHead(statusCode).end(body);
  });
  url = `http://127.0.0.1:${await listening(webhook)}`;
});

afterAll(async () => {
  await store.close();
  await closing(webhook);
});

const CALL = `
const { handler } = require(process.argv[1]);
handler({}, {}).then((result) => console.log(JSON.stringify(result)));
`;

/** Standard output holds the function's log, then what it returned. */
async function invoke(env: Readonly<Record<string, string>> = {}) {
  const { stdout } = await promisify(execFile)(
    inject("deployedNode"),
    ["-e", CALL, resolve("dist/functions/canary/index.cjs")],
    {
      env: {
        AWS_REGION: "us-east-1",
        AWS_ACCESS_KEY_ID: "a",
        AWS_SECRET_ACCESS_KEY: "b",
        AWS_ENDPOINT_URL: store.url,
        OUTRIGGER_PREFIX: "/outrigger/test",
        OUTRIGGER_STAGE: "test",
        OUTRIGGER_URL: url,
        ...env,
      },
    },
  );
  const [log = "", result = ""] = stdout.trim().split("\n");
  return { log: `${log}\n`, result: JSON.parse(result) };
}

describe("functions/canary, bundled", () => {
  it("succeeds, with its metrics in one line and no token in it, when the webhook injects", async () => {
    const { log, result } = await invoke();
    expect(result).toMatchObject({ succeeded: true, status: 200 });
    expect(readMetrics(log).map(({ name }) => name)).toEqual(["CanarySucceeded", "CanaryLatency"]);
    expect(log + JSON.stringify(result)).not.toContain(TOKEN);
  });

  it("fails and says how to make one when there is no token", async () => {
    const { result } = await invoke({ OUTRIGGER_PREFIX: "/outrigger/none" });
    expect(result).toMatchObject({ succeeded: false, problem: expect.stringContaining("outrigger repair") });
  });
});
