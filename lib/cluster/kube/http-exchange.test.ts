import { createServer, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { labCertificate } from "../../../test/eks/lab-certificate.ts";
import { exchangeWith, secondsOf } from "./http-exchange.ts";
import { openKube } from "./kube-access.ts";

let server: Server | undefined;
afterEach(() => void server?.close());

async function serve(answer: Parameters<typeof createServer>[1]): Promise<string> {
  const created = createServer(answer as never);
  server = created;
  await new Promise<void>((resolve) => created.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(created.address() as AddressInfo).port}`;
}

describe("exchangeWith()", () => {
  it("unpacks an answer that a proxy has compressed, and reads a Retry-After that is a date", async () => {
    const url = await serve((_request, response) => {
      const date = new Date(Date.now() + 60_000).toUTCString();
      response.writeHead(429, { "content-encoding": "gzip", "retry-after": date }).end(gzipSync("hello"));
    });
    const {
      status,
      body,
      retryAfter = 0,
    } = await exchangeWith({ url, timeoutMilliseconds: 5000 })({ method: "GET", path: "/" });
    expect([status, body]).toEqual([429, "hello"]);
    expect(Math.abs(retryAfter - 60)).toBeLessThan(5);
  });

  it("sends the server's own headers, each of several values by itself, and reads what it warns of", async () => {
    let seen: readonly string[] = [];
    const url = await serve((request, response) => {
      seen = request.rawHeaders;
      response.setHeader("warning", ['299 - "one \\"quoted\\""', '299 - "two", 299 - "three"']);
      response.end("{}");
    });
    const headers = { "Impersonate-User": "ann", "Impersonate-Group": ["dev", "ops"] };
    const { warnings } = await exchangeWith({ url, headers, timeoutMilliseconds: 5000 })({ method: "GET", path: "/" });
    expect(warnings).toEqual(['one "quoted"', "two", "three"]);
    const sent = seen.flatMap((name, at) => (name.startsWith("Impersonate") ? [`${name} ${seen[at + 1]}`] : []));
    expect(sent).toEqual(["Impersonate-User ann", "Impersonate-Group dev", "Impersonate-Group ops"]);
  });

  it("rejects a body that is not what its encoding says", async () => {
    const url = await serve(
      (_request, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end("hello"),
    );
    await expect(exchangeWith({ url, timeoutMilliseconds: 5000 })({ method: "GET", path: "/" })).rejects.toThrow();
  });
});

describe("the connections of exchangeWith()", () => {
  it("are used again, and closed once nothing is sent over them, however long the server would keep them", async () => {
    const certificate = await labCertificate();
    const created = createSecureServer({ ...certificate, keepAliveTimeout: 600_000 }, (_request, response) => {
      response.end("{}");
    });
    server = created;
    let opened = 0;
    created.on("secureConnection", () => opened++);
    await new Promise<void>((resolve) => created.listen(0, "127.0.0.1", resolve));
    const url = `https://localhost:${(created.address() as AddressInfo).port}`;
    const settings = { url, ca: certificate.cert, timeoutMilliseconds: 60_000, idleMilliseconds: 600_000 };
    const [patient, hasty] = [exchangeWith(settings), exchangeWith({ ...settings, idleMilliseconds: 50 })];
    for (const _ of [1, 2]) await patient({ method: "GET", path: "/" });
    expect(opened).toBe(1);
    await hasty({ method: "GET", path: "/" });
    expect(opened).toBe(2);
    const open = () => new Promise((resolve) => created.getConnections((_error, count) => resolve(count)));
    await expect.poll(open).toBeLessThan(2);
    created.closeAllConnections();
  });
});

describe("secondsOf()", () => {
  it.each([
    ["3", 3],
    ["Thu, 01 Jan 1970 00:00:07 GMT", 5],
    ["Thu, 01 Jan 1970 00:00:01 GMT", 0],
    ["soon", undefined],
    [undefined, undefined],
  ])("reads %j", (header, seconds) => expect(secondsOf(header, 2000)).toBe(seconds));
});

describe("openKube()", () => {
  it("tries a call again once when its connection was cut", async () => {
    let calls = 0;
    const url = await serve((request, response) => {
      if (++calls === 1) request.socket.resetAndDestroy();
      else response.end('{"metadata":{}}');
    });
    const kube = openKube({ name: "shop", url, remediation: "look" }, async () => {});
    expect([await kube.get("/x"), calls]).toEqual([{ metadata: {} }, 2]);
  });
});
