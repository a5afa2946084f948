import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { GetParametersCommand, SSMClient } from "@aws-sdk/client-ssm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { main } from "../main.ts";
import { awsRequestHandler } from "./aws-request-handler.ts";
import { connectAws, waitTwice } from "./connect-aws.ts";

const ENV = { HTTPS_PROXY: "http://proxy.test:3128" };
const proxyOf = (env: Record<string, string>, region = "eu-west-1") =>
  awsRequestHandler("ssm", { region }, { HOME: "/nonexistent", ...env }).httpsAgent?.proxy.href;

describe("awsRequestHandler()", () => {
  it("takes the proxy of the environment", () => {
    expect(proxyOf(ENV)).toBe("http://proxy.test:3128/");
    expect(proxyOf({ https_proxy: "proxy.test:3128" })).toBe("http://proxy.test:3128/");
    expect(proxyOf({})).toBeUndefined();
    expect(proxyOf({ HTTP_PROXY: "http://proxy.test:3128" })).toBeUndefined();
  });

  it.each(["ssm.eu-west-1.amazonaws.com", ".amazonaws.com", "eu-west-1.amazonaws.com", "*"])(
    "reaches the service itself where NO_PROXY is %s",
    (exceptions) => {
      expect(proxyOf({ ...ENV, NO_PROXY: exceptions })).toBeUndefined();
    },
  );

  it.each(["lambda.eu-west-1.amazonaws.com", "eu-west-2.amazonaws.com", "example.com"])(
    "takes the proxy where NO_PROXY is %s",
    (exceptions) => {
      expect(proxyOf({ ...ENV, NO_PROXY: exceptions })).toBe("http://proxy.test:3128/");
    },
  );

  it("knows the domain of the Region, and that an endpoint on this machine needs no proxy", () => {
    expect(proxyOf({ ...ENV, NO_PROXY: ".amazonaws.com.cn" }, "cn-north-1")).toBeUndefined();
    expect(proxyOf({ ...ENV, NO_PROXY: ".amazonaws.com.cn" })).toBe("http://proxy.test:3128/");
    expect(proxyOf({ ...ENV, AWS_ENDPOINT_URL: "https://127.0.0.1:4566" })).toBeUndefined();
  });

  it("keeps the client's patience", () => {
    const patience = { requestTimeout: 1, connectionTimeout: 2 };
    expect(awsRequestHandler("sts", {}, {}, patience)).toEqual({ ...patience, throwOnRequestTimeout: true });
  });

  it("refuses a proxy that is not supported, without its password", () => {
    expect(() => proxyOf({ HTTPS_PROXY: "socks5://ann:s3cret@proxy.test" })).toThrow(/^(?!.*s3cret).*HTTPS_PROXY/);
  });
});

describe("a command behind a proxy", () => {
  let proxy: Server;
  const tunnels: string[] = [];
  beforeEach(async () => {
    proxy = createServer();
    proxy.on("connect", (request, client: Socket) => {
      tunnels.push(String(request.url));
      client.on("error", () => client.destroy());
      client.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    vi.stubEnv("AWS_ACCESS_KEY_ID", "fake");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "fake");
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await new Promise((resolve) => proxy.close(resolve));
  });

  it("asks AWS through it", async () => {
    const { port } = proxy.address() as AddressInfo;
    const env = { HTTPS_PROXY: `http://127.0.0.1:${port}` };
    const io = fakeIo({ env, connect: (target) => connectAws(target, { env, version: "1.2.3" }) });
    expect(await main(["channel", "--region", "eu-west-1"], io)).toBe(3);
    expect(new Set(tunnels)).toEqual(new Set(["ssm.eu-west-1.amazonaws.com:443"]));
  });
});

describe("a service that takes a request and never answers", () => {
  /** Answers from the given request on, and says how it ended and how many requests there were. */
  async function ask(answersFrom: number, maxAttempts: number) {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      if (requests >= answersFrom) response.end('{"Parameters":[]}');
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    const client = waitTwice(
      new SSMClient({
        region: "us-east-1",
        endpoint: `http://127.0.0.1:${port}`,
        credentials: { accessKeyId: "a", secretAccessKey: "b" },
        maxAttempts,
        requestHandler: awsRequestHandler("ssm", {}, {}, { requestTimeout: 500, connectionTimeout: 500 }),
      }),
    );
    try {
      const answer = await client.send(new GetParametersCommand({ Names: ["/a"] })).catch((error: Error) => error.name);
      return { answer: typeof answer === "string" ? answer : answer.Parameters, requests };
    } finally {
      client.destroy();
      server.closeAllConnections();
      server.close();
    }
  }

  it("is given up in the time that the client has, and not only warned of", async () => {
    expect(await ask(9, 1)).toEqual({ answer: "TimeoutError", requests: 1 });
  });

  it("is asked once more, and not as often as one that throttles", async () => {
    expect(await ask(9, 8)).toEqual({ answer: "NoAnswer", requests: 2 });
    expect(await ask(2, 8)).toEqual({ answer: [], requests: 2 });
  });
});
