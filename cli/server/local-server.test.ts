import { EventEmitter } from "node:events";
import { request as httpRequest } from "node:http";
import { createConnection, type Server } from "node:net";
import { connect as tlsConnect } from "node:tls";
import { type AdmissionRecord, fixedService } from "@outrigger/serving";
import { afterEach, describe, expect, it } from "vitest";
import { findCertificate } from "./certificate.ts";
import { listenAtFirst, type ServerOptions, startServer } from "./local-server.ts";
import { curlLine } from "./request-line.ts";

const REVIEW = /-d '(.*?)' \|/.exec(curlLine("x"))?.[1] as string;

describe("startServer()", () => {
  let server: Awaited<ReturnType<typeof startServer>> | undefined;
  let records: AdmissionRecord[];
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  async function start(options: Partial<ServerOptions> = {}): Promise<number> {
    records = [];
    server = await startServer({
      host: "127.0.0.1",
      port: 0,
      certificate: undefined,
      find: fixedService({
        inject: () => ({ injected: false, reason: "opted-out", message: "m" }),
        release: "r1",
      }),
      log: (record) => records.push(record),
      ...options,
    });
    return server.port;
  }

  function post(
    port: number,
    body: string | Uint8Array,
    path = "/inject?timeout=5s",
    headers: Record<string, string> = { "content-type": "application/json" },
  ) {
    return new Promise<{ status: number; body: string; headers: Record<string, unknown> }>((resolve, reject) => {
      const request = httpRequest({ port, host: "127.0.0.1", path, method: "POST", headers }, async (response) => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of response) chunks.push(chunk);
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks).toString(),
          headers: response.headers,
        });
      });
      request.on("error", reject);
      request.end(body);
    });
  }

  it("keeps a connection open for longer than API servers do", async () => {
    const { headers } = await post(await start(), REVIEW);
    expect(headers["keep-alive"]).toBe("timeout=120");
  });

  it("answers a review through admit(), and logs it", async () => {
    const port = await start();
    const { status, body, headers } = await post(port, REVIEW);
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("application/json");
    expect(JSON.parse(body).response).toEqual({
      uid: "705ab4f5-6393-11e8-b7cc-42010a800002",
      allowed: true,
      auditAnnotations: { decision: "skipped", reason: "opted-out", release: "r1" },
    });
    expect(records).toMatchObject([{ decision: "skipped", namespace: "default", name: "hello" }]);
  });

  it("says that it is ready when it is asked", async () => {
    const port = await start();
    for (const path of ["/healthz", "/ready"]) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      expect([response.status, await response.text()]).toEqual([200, "ok\n"]);
    }
    expect(records).toEqual([]);
  });

  it.each([
    ["/elsewhere", 404],
    ["//inject", 404],
    ["/inject/..", 200],
  ])("takes the path %s as it came", async (path, status) => {
    expect((await post(await start(), REVIEW, path)).status).toBe(status);
  });

  it("answers 413 and lives when 7 MB come", async () => {
    const port = await start();
    expect((await post(port, Buffer.alloc(7_000_000, "x"))).status).toBe(413);
    expect((await post(port, REVIEW)).status).toBe(200);
  });

  it("lives when a caller goes away in the middle, or speaks no HTTP", async () => {
    const port = await start();
    for (const text of ["POST /inject HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nabc", "nonsense\r\n\r\n"]) {
      await new Promise<void>((resolve) => {
        const socket = createConnection(port, "127.0.0.1", () => socket.write(text, () => socket.destroy()));
        socket.on("close", () => resolve());
      });
    }
    expect((await post(port, REVIEW)).status).toBe(200);
  });

  it("asks who serves with each request", async () => {
    const releases = ["r1", "r2"];
    const port = await start({
      find: () => ({
        inject: () => ({ injected: false, reason: "opted-out", message: "m" }),
        release: releases.shift() as string,
      }),
    });
    for (const release of ["r1", "r2"]) {
      expect(JSON.parse((await post(port, REVIEW)).body).response.auditAnnotations.release).toBe(release);
    }
  });

  it("offers HTTP/1.1 and nothing else when it has a certificate", async () => {
    const certificate = await findCertificate("localhost", {}, () => {});
    const port = await start({ certificate });
    const protocol = await new Promise((resolve, reject) => {
      const socket = tlsConnect(
        { port, host: "127.0.0.1", servername: "localhost", ca: certificate.cert, ALPNProtocols: ["h2", "http/1.1"] },
        () => {
          resolve(socket.alpnProtocol);
          socket.destroy();
        },
      );
      socket.on("error", reject);
    });
    expect(protocol).toBe("http/1.1");
  });

  it("says what to do when it cannot listen", async () => {
    const port = await start();
    const options = {
      host: "127.0.0.1",
      certificate: undefined,
      find: fixedService({
        inject: () => {
          throw new Error();
        },
        release: "",
      }),
      log: () => {},
    };
    await expect(startServer({ ...options, port })).rejects.toMatchObject({
      code: "listen-failed",
      message: `Cannot listen on 127.0.0.1:${port}: the port is taken; choose another with --port`,
    });
    await expect(startServer({ ...options, host: "192.0.2.1", port: 0 })).rejects.toMatchObject({
      message: expect.stringContaining("choose another with --port ADDRESS:PORT"),
    });
  });
});

describe("listenAtFirst()", () => {
  /** A server on a machine of which these ports are taken; 0 gives port 50000. */
  function serverBeside(...taken: readonly number[]): Server {
    const place = { port: 0 };
    const server = Object.assign(new EventEmitter(), {
      address: () => place,
      listen(port: number, _host: string, ready: () => void) {
        place.port = port === 0 ? 50_000 : port;
        if (taken.includes(port)) server.emit("error", Object.assign(new Error("taken"), { code: "EADDRINUSE" }));
        else ready();
      },
    });
    return server as unknown as Server;
  }

  it.each([
    ["the first of all that are free", [], 8450],
    ["the first that is free, after those that are taken", [8450, 8451], 8452],
    ["any, where all are taken", [8450, 8451, 8452], 50_000],
  ])("takes %s", async (_what, taken, port) => {
    expect(await listenAtFirst(serverBeside(...taken), "127.0.0.1", [8450, 8451, 8452])).toBe(port);
  });
});
