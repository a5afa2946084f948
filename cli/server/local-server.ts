// The local webhook's HTTP: sockets to admit() and back. Knows nothing about where releases come from.
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { OutriggerError } from "@outrigger/base";
import { type AdmissionRecord, admit, type FindService, MAX_BODY_BYTES } from "@outrigger/serving";
import type { Certificate } from "./certificate.ts";

export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Left out, plain HTTP. */
  readonly certificate: Certificate | undefined;
  readonly find: FindService;
  /** Whether the function may run no call now: the gateway answers for it. */
  readonly isThrottled?: (() => boolean) | undefined;
  readonly log: (record: AdmissionRecord) => void;
}

/** The milliseconds for which a request in flight may hold up the end. */
const PATIENCE = 2000;

/**
 * Longer than the 90 s for which an API server keeps a connection that it does not use: a server that closes first can do so just
 * when the next review is sent, and that call fails.
 */
export const KEPT_OPEN = { keepAliveTimeout: 120_000 };

/**
 * Starts the server. It speaks HTTP/1.1 only, as API Gateway does to API servers: on loopback their client would take
 * HTTP/2 if it were offered, and behave differently.
 *
 * @throws OutriggerError `listen-failed`
 */
export async function startServer(options: ServerOptions) {
  const { certificate } = options;
  const answer = (request: IncomingMessage, response: ServerResponse) => void serve(request, response, options);
  const server =
    certificate === undefined
      ? createHttpServer(KEPT_OPEN, answer)
      : createHttpsServer({ ...certificate, ...KEPT_OPEN, ALPNProtocols: ["http/1.1"], minVersion: "TLSv1.2" }, answer);
  return {
    port: await listen(server, options),
    /** Answers what has been asked, and takes no more. */
    close: () =>
      new Promise<void>((resolve) => {
        const impatient = setTimeout(() => server.closeAllConnections(), PATIENCE);
        server.close(() => {
          clearTimeout(impatient);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

async function serve(request: IncomingMessage, response: ServerResponse, options: ServerOptions): Promise<void> {
  try {
    const [path = "", ...queries] = (request.url ?? "").split("?");
    if (request.method === "GET" && (path === "/healthz" || path === "/ready")) {
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end("ok\n");
      return;
    }
    if (options.isThrottled?.() === true) {
      request.resume();
      response.writeHead(503, { "content-type": "application/json" }).end('{"message":"Service Unavailable"}');
      return;
    }
    const asked = {
      method: request.method ?? "",
      path,
      query: { timeout: new URLSearchParams(queries.join("?")).get("timeout") ?? undefined },
      headers: { "content-type": request.headers["content-type"] },
      body: await readBytes(request, MAX_BODY_BYTES),
    };
    const dependencies = { find: options.find, now: () => performance.now() };
    const { status, headers, body, log } = await admit(asked, dependencies);
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
    options.log(log);
  } catch {
    // The caller has gone, or what it sent is no HTTP: there is no one to answer.
    response.destroy();
  }
}

/**
 * The body, or as much of it as shows that it has more than `largest` bytes. The rest is read and thrown away: a caller that is
 * still sending does not read the answer.
 */
export async function readBytes(request: IncomingMessage, largest: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    if (size <= largest) chunks.push(chunk);
    size += chunk.byteLength;
  }
  return Buffer.concat(chunks);
}

/**
 * Returns the port that the server listens at.
 *
 * @param place 0 takes a free port
 * @throws OutriggerError `listen-failed`
 */
export async function listen(server: Server, place: { readonly host: string; readonly port: number }): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => reject(listenError(place, cause)));
    server.listen(place.port, place.host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/**
 * Returns the first of the ports that is free, once the server listens at it; any free one where all are taken.
 *
 * @throws OutriggerError `listen-failed`
 */
export async function listenAtFirst(server: Server, host: string, ports: readonly number[]): Promise<number> {
  for (const port of ports) {
    try {
      return await listen(server, { host, port });
    } catch {
      // Whatever keeps it from one port may not keep it from another: the last try says what is wrong.
    }
  }
  return listen(server, { host, port: 0 });
}

/** @param option names the port on the command line */
export function listenError(
  { host, port }: Parameters<typeof listen>[1],
  cause: NodeJS.ErrnoException,
  option = "--port",
): OutriggerError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `the port is taken; choose another with ${option}`,
    EACCES: `the port needs more rights; choose one above 1023 with ${option}`,
    EADDRNOTAVAIL: "the address is not one of this machine; choose another with --port ADDRESS:PORT",
    ENOTFOUND: "the name is not known; choose another with --port ADDRESS:PORT",
  };
  const reason = reasons[cause.code ?? ""] ?? cause.code ?? cause.message;
  return new OutriggerError("listen-failed", `Cannot listen on ${host}:${port}: ${reason}`, { cause });
}
