import { createHash, createHmac } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { generate } from "selfsigned";
import { afterEach, describe, expect, it, vi } from "vitest";
import { signedCaller } from "./signed-call.ts";

const ENV = { AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "s" };
const TARGET = "AmazonSSM.GetParameters";

let server: Server | undefined;

afterEach(() => {
  vi.useRealTimers();
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

async function listen(made: Server, scheme = "http"): Promise<string> {
  server = made;
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  return `${scheme}://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

/** The result of a call that is answered so. */
async function callAnswered(status: number, body: string, headers: Readonly<Record<string, string>> = {}) {
  const answer: RequestListener = (_request, response) => response.writeHead(status, headers).end(body);
  const url = await listen(createServer(answer));
  return signedCaller("ssm", { ...ENV, AWS_ENDPOINT_URL: url })(TARGET, {});
}

/** Signature Version 4 once more, from its description: of this one request, for `ENV`. */
function authorizationOf(headers: Readonly<Record<string, unknown>>, body: string): string {
  const names = [...Object.keys(headers)].filter((name) => /^(content-type|host|x-amz-.*)$/.test(name)).sort();
  const signed = names.join(";");
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join("");
  const scope = "19700101/eu-west-1/ssm/aws4_request";
  const text = ["POST", "/", "", lines, signed, sha256(body)].join("\n");
  const key = ["19700101", "eu-west-1", "ssm", "aws4_request"].reduce<string | Buffer>(hmac, "AWS4s");
  const signature = hmac(key, ["AWS4-HMAC-SHA256", "19700101T000000Z", scope, sha256(text)].join("\n")).toString("hex");
  return `AWS4-HMAC-SHA256 Credential=AKID/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

describe("signedCaller()", () => {
  it("signs what another implementation of the signature signs", async () => {
    vi.useFakeTimers({ now: 0, toFake: ["Date"] });
    let seen: Record<string, unknown> = {};
    let body = "";
    const url = await listen(
      createServer((request, response) => {
        seen = { method: request.method, url: request.url, ...request.headers };
        request.on("data", (chunk) => {
          body += chunk;
        });
        request.on("end", () => response.end("{}"));
      }),
    );
    const env = {
      ...ENV,
      AWS_SESSION_TOKEN: "t/+=",
      AWS_ENDPOINT_URL_SSM: url,
      AWS_ENDPOINT_URL: "http://127.0.0.1:1",
    };
    expect(await signedCaller("ssm", env)(TARGET, { Names: ["/a/é"] })).toEqual({});
    expect(body).toBe('{"Names":["/a/é"]}');
    expect(seen).toMatchObject({
      method: "POST",
      url: "/",
      "content-type": "application/x-amz-json-1.1",
      "content-length": "19",
      "x-amz-date": "19700101T000000Z",
      "x-amz-security-token": "t/+=",
      "x-amz-target": TARGET,
    });
    expect(seen["authorization"]).toBe(authorizationOf(seen, body));
  });

  it("believes nobody whose certificate it cannot check", async () => {
    const { private: key, cert } = await generate([{ name: "commonName", value: "127.0.0.1" }]);
    let calls = 0;
    const url = await listen(
      createSecureServer({ key, cert }, (_request, response) => {
        calls += 1;
        response.end("{}");
      }),
      "https",
    );
    await expect(signedCaller("ssm", { ...ENV, AWS_ENDPOINT_URL: url })(TARGET, {})).rejects.toThrow("self-signed");
    expect(calls).toBe(0);
  });

  it("makes no call where the environment names an endpoint and asks for FIPS", async () => {
    const env = { ...ENV, AWS_ENDPOINT_URL: "http://127.0.0.1:1", AWS_USE_FIPS_ENDPOINT: "true" };
    await expect(signedCaller("ssm", env)(TARGET, {})).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("AWS_USE_FIPS_ENDPOINT"),
    });
  });

  it("says that there are no credentials when there are none", async () => {
    const call = signedCaller("ssm", { AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "AKID" });
    await expect(call(TARGET, {})).rejects.toMatchObject({ name: "CredentialsProviderError" });
  });

  it.each<[string, number, string, Record<string, unknown>]>([
    [
      "with its namespace",
      400,
      '{"__type":"com.amazonaws.ssm#ThrottlingException","message":"Rate exceeded"}',
      { name: "ThrottlingException", message: "Rate exceeded" },
    ],
    [
      "with an address after it",
      400,
      '{"__type":"AccessDeniedException:http://a/","Message":"no"}',
      { name: "AccessDeniedException", message: "no" },
    ],
    ["alone", 500, '{"__type":"InternalServerError"}', { name: "InternalServerError", message: "status 500" }],
    ["not at all", 503, "<html>busy</html>", { name: "Error", message: "status 503" }],
    ["as no text", 400, '{"__type":{},"message":[]}', { name: "Error", message: "status 400" }],
  ])("throws the service's error when it names it %s", async (_how, status, body, error) => {
    await expect(callAnswered(status, body)).rejects.toMatchObject({ ...error, status });
  });

  it.each<[string, string, Readonly<Record<string, string>>]>([
    ["is no JSON", "<html>", {}],
    ["ends too early", "{", { "content-length": "100" }],
  ])(
    "throws an error without a status when the answer %s",
    async (_what, body, headers) => {
      const error = await callAnswered(200, body, headers).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toHaveProperty("status");
    },
    10_000,
  );

  it("gives up when it is aborted", async () => {
    const url = await listen(createServer(() => {}));
    const controller = new AbortController();
    const answer = signedCaller("ssm", { ...ENV, AWS_ENDPOINT_URL: url })(TARGET, {}, controller.signal);
    controller.abort();
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  });
});
