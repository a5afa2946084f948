import { createServer as createProxy, type Server as ProxyServer } from "node:http";
import { createServer, type Server } from "node:https";
import { connect, type Socket } from "node:net";
import tls from "node:tls";
import { fakeObjectStore, type ObjectFault, startFakeServer } from "@outrigger/fake-aws";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { bodyOf, closing, listening } from "../../test/support/loopback.ts";
import { makeCertificate } from "../server/certificate.ts";
import { bucketStore, uploadObjects } from "./bucket-store.ts";

const HOST = "team-artifacts.s3.eu-west-1.amazonaws.com";
const KEYS = { AWS_ACCESS_KEY_ID: "fake", AWS_SECRET_ACCESS_KEY: "fake" };
const credentials = async () => ({ accessKeyId: "fake", secretAccessKey: "fake" });
const storeIn = (env: Readonly<Record<string, string>>) =>
  bucketStore("team-artifacts", "eu-west-1", credentials, { env: { ...KEYS, ...env }, timeout: 10_000 });

/** Before Node 22.19 no process can be told in the middle which authorities it trusts. */
const canTrust = "setDefaultCACertificates" in tls;

describe.runIf(canTrust)("bucketStore() behind a proxy", () => {
  let bucket: Server;
  let proxy: ProxyServer;
  let authorities: string[];
  const tunnels: string[] = [];
  /** Both ends of every tunnel: no server closes them. */
  const ends: Socket[] = [];
  /** What the bucket was asked: method, path, and body. */
  const asked: string[] = [];
  const env: Record<string, string> = {};
  beforeAll(async () => {
    const certificate = await makeCertificate([HOST]);
    bucket = createServer(certificate, async (request, response) => {
      const body = await bodyOf(request);
      asked.push([request.method, request.url, body, request.headers.authorization?.split(" ")[0]].join(" "));
      if (request.method === "PUT") return void response.end();
      if (request.url === "/none") return void response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>");
      response.writeHead(200, request.url === "/untagged" ? {} : { etag: '"tag"' }).end("the text: ä");
    });
    const port = await listening(bucket);
    proxy = createProxy();
    proxy.on("connect", (request, client: Socket) => {
      tunnels.push(String(request.url));
      const upstream = connect(port, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(client).pipe(upstream);
      });
      for (const socket of [client, upstream]) socket.on("error", () => socket.destroy());
      ends.push(client, upstream);
    });
    env["HTTPS_PROXY"] = `http://127.0.0.1:${await listening(proxy)}`;
    authorities = tls.getCACertificates();
    tls.setDefaultCACertificates([certificate.cert]);
  });
  afterAll(async () => {
    tls.setDefaultCACertificates(authorities);
    for (const socket of ends) socket.destroy();
    await Promise.all([closing(bucket), closing(proxy)]);
  });
  beforeEach(() => {
    tunnels.length = 0;
    asked.length = 0;
  });

  it("reads through it: an object with its tag, and none where there is none", async () => {
    const store = storeIn(env);
    expect(await store.getObject("a/b")).toEqual({ text: "the text: ä", tag: '"tag"' });
    expect(await store.getObject("untagged")).toEqual({ text: "the text: ä", tag: "" });
    expect(await store.getObject("none")).toBeUndefined();
    expect(new Set(tunnels)).toEqual(new Set([`${HOST}:443`]));
    expect(asked[0]).toBe("GET /a/b  AWS4-HMAC-SHA256");
  });

  it("writes through it, signed", async () => {
    await storeIn(env).putFile("a", Buffer.from("some bytes"));
    expect(asked).toEqual(["PUT /a some bytes AWS4-HMAC-SHA256"]);
  });

  it("reaches an endpoint on this machine without it", async () => {
    const store = bucketStore("team-artifacts", "eu-west-1", credentials, {
      env: { ...KEYS, ...env, AWS_ENDPOINT_URL: "https://127.0.0.1:1" },
      timeout: 1000,
    });
    await expect(store.getObject("a")).rejects.toMatchObject({ code: "store-unavailable" });
    expect(tunnels).toEqual([]);
  });

  it("refuses a proxy that is not supported", async () => {
    await expect(storeIn({ HTTPS_PROXY: "socks5://proxy.test" }).getObject("a")).rejects.toThrow(
      "Cannot use the proxy in HTTPS_PROXY",
    );
  });
});

describe("the bucket of an endpoint on this machine", () => {
  let server: Awaited<ReturnType<typeof startFakeServer>>;
  let faults: ObjectFault[] = [];
  const objects = fakeObjectStore({ fault: () => faults.shift() });
  beforeAll(async () => {
    server = await startFakeServer({ objects });
  });
  afterAll(() => server.close());
  beforeEach(() => {
    faults = [];
  });
  const upload = (files: ReadonlyMap<string, Uint8Array>) =>
    uploadObjects(
      "artifacts",
      files,
      { region: "eu-west-1" },
      fakeIo({ env: { ...KEYS, AWS_ENDPOINT_URL: server.url } }),
    );

  it("is asked without the proxy, and again after a fault of its own", async () => {
    faults = [{ kind: "error", name: "InternalError", status: 500 }];
    const store = storeIn({
      AWS_ENDPOINT_URL: server.url,
      HTTP_PROXY: "http://proxy.test:1",
      HTTPS_PROXY: "proxy.test",
    });
    await store.putFile("a", Buffer.from("text"));
    expect(await store.getObject("a")).toMatchObject({ text: "text" });
    expect(faults).toEqual([]);
  });

  it("gets every file under its key", async () => {
    for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value);
    try {
      await upload(
        new Map([
          ["x/one", Buffer.from("1")],
          ["x/two", Buffer.from("2")],
        ]),
      );
      const texts = ["one", "two"].map(async (key) => (await objects.getObject(`artifacts/x/${key}`))?.text);
      expect(await Promise.all(texts)).toEqual(["1", "2"]);
      faults = [{ kind: "error", name: "AccessDenied", status: 403 }];
      await expect(upload(new Map([["x/three", Buffer.from("3")]]))).rejects.toMatchObject({
        code: "aws-denied",
        message:
          "Cannot write s3://artifacts/x/three: the credentials do not allow s3:PutObject; ask for that permission",
      });
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
