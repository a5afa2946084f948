import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { OutriggerError } from "@outrigger/base";
import type { KubeExchange } from "@outrigger/cluster";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { labCertificate } from "../../test/eks/lab-certificate.ts";
import { type EksRelay, startEksRelay } from "./eks-relay.ts";

const KEY = "ASIAFAKEFAKEFAKEFAKE";
const tokenOf = (url: string) => `Bearer k8s-aws-v1.${Buffer.from(url).toString("base64url")}`;
const signedWith = (key: string) =>
  tokenOf(`https://sts.eu-west-1.amazonaws.com/?X-Amz-Credential=${key}%2F20260101%2Feu-west-1%2Fsts%2Faws4_request`);

describe("startEksRelay()", () => {
  let relay: EksRelay;
  let agent: Agent;
  const exchange = vi.fn<KubeExchange>();
  beforeEach(async () => {
    exchange.mockReset().mockResolvedValue({ status: 200, body: "{}" });
    agent = new Agent({ keepAlive: true, ca: (await labCertificate()).cert });
    relay = await startEksRelay(await labCertificate(), KEY, exchange);
  });
  afterEach(async () => {
    await relay.close();
    agent.destroy();
  });

  /** The status, headers and JSON of an answer. */
  async function ask(authorization?: string, { path = "/", method = "GET", type = "", body = "" } = {}) {
    const headers = { ...(authorization && { authorization }), ...(type && { "content-type": type }) };
    const { status, ...answer } = await new Promise<{ status: unknown; headers: object; body: string }>((done, fail) =>
      request(new URL(path, relay.url), { agent, method, headers }, async (response) =>
        done({ status: response.statusCode, headers: response.headers, body: await text(response) }),
      )
        .on("error", fail)
        .end(body),
    );
    return { status, headers: answer.headers, body: JSON.parse(answer.body) as unknown };
  }

  it("passes on what a token of the fake's own asks, and what the API server answers", async () => {
    const date = "Thu, 01 Jan 2026 00:00:00 GMT";
    exchange.mockResolvedValue({ status: 429, body: '{"a":1}', warnings: ['use "v1"', "b"], date, retryAfter: 3 });
    const sent = { path: "/api/v1/pods?limit=1", method: "PATCH", type: "application/apply-patch+yaml", body: "a: 1" };
    expect(await ask(signedWith(KEY), sent)).toEqual({
      status: 429,
      headers: expect.objectContaining({
        "content-type": "application/json",
        warning: '299 - "use \\"v1\\"", 299 - "b"',
        date,
        "retry-after": "3",
      }),
      body: { a: 1 },
    });
    const { path, method, type: contentType, body } = sent;
    expect(exchange.mock.calls).toEqual([[{ path, method, contentType, body, timeoutMilliseconds: 70_000 }]]);
  });

  it("sends no body where there is none, and JSON where nothing else is said", async () => {
    const { headers } = await ask(signedWith(KEY));
    expect(headers).not.toHaveProperty("warning");
    expect(headers).not.toHaveProperty("retry-after");
    await ask(signedWith(KEY), { method: "POST", body: "{}" });
    const asked = exchange.mock.calls.map(([{ method, body, contentType }]) => [method, body, contentType]);
    expect(asked).toEqual([
      ["GET", undefined, undefined],
      ["POST", "{}", "application/json"],
    ]);
  });

  it.each([
    ["no token", undefined],
    ["a token of another key", signedWith(KEY.replace(/E$/, "F"))],
    ["a token of a longer key", signedWith(`${KEY}A`)],
    ["a token of a part of the key", signedWith(KEY.slice(0, -1))],
    ["a URL without a signature", tokenOf("https://sts.eu-west-1.amazonaws.com/")],
    ["the key alone", tokenOf(KEY)],
    ["a token that is not of EKS", signedWith(KEY).replace("k8s-aws-v1.", "")],
    ["another scheme", signedWith(KEY).replace("Bearer", "Basic")],
    ["a token with something behind it", `${signedWith(KEY)} x`],
  ])("refuses %s, and asks the API server nothing", async (_, authorization) => {
    expect(await ask(authorization)).toMatchObject({
      status: 401,
      body: { kind: "Status", apiVersion: "v1", status: "Failure", message: "Unauthorized", code: 401 },
    });
    expect(exchange).not.toHaveBeenCalled();
  });

  it("says why where the API server does not answer", async () => {
    exchange.mockRejectedValue(new OutriggerError("cluster-unreachable", "Cannot reach the cluster"));
    expect(await ask(signedWith(KEY))).toMatchObject({
      status: 503,
      body: { kind: "Status", message: "Cannot reach the cluster", code: 503 },
    });
  });

  it("closes while a connection is kept open", async () => {
    await ask(signedWith(KEY));
    await relay.close();
    // By the kept connection or by a new one: Node's releases differ in which is tried.
    await expect(ask(signedWith(KEY))).rejects.toThrow();
    relay = await startEksRelay(await labCertificate(), KEY, exchange);
  });
});
