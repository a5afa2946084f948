// An HTTPS server in place of API Gateway: hands what the API server sends to the bundled function's handler, one handler
// for each path prefix. `/slow` never answers in time, `/cut` closes the connection.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { makeCertificate } from "@outrigger/cli";
import type { Handler } from "../../functions/inject/api-gateway.ts";
import { bodyOf, closing, listening } from "../../test/support/loopback.ts";

/** One request and its answer, as they went over the wire. */
export interface Exchange {
  readonly request: string;
  readonly response: string;
}

export interface CaseServer {
  /** The server's address: `https://localhost:PORT` */
  readonly url: string;
  /** The first exchange of each prefix. */
  readonly first: ReadonlyMap<string, Exchange>;
  /** The server's certificate in PEM. */
  readonly certificate: string;
  readonly close: () => Promise<void>;
}

/** Finds the handler for a prefix such as `/case/7`, and makes it where it is asked for first. */
export type FindHandler = (prefix: string) => Handler | undefined;

const SLOW = 3000;

/** Starts the server on a free port of the loopback interface. HTTP/1.1 only, as API Gateway speaks to API servers. */
export async function serveCases(find: FindHandler): Promise<CaseServer> {
  const certificate = await makeCertificate(["localhost"]);
  const first = new Map<string, Exchange>();
  const answer = (request: IncomingMessage, response: ServerResponse) =>
    void serve(request, response, find, first).catch(() => response.destroy());
  const server = createServer({ ...certificate, ALPNProtocols: ["http/1.1"] }, answer);
  return {
    url: `https://localhost:${await listening(server)}`,
    certificate: certificate.cert,
    first,
    close: () => closing(server),
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  find: FindHandler,
  first: Map<string, Exchange>,
): Promise<void> {
  const url = new URL(request.url ?? "", "https://localhost");
  const [, prefix = "", path = ""] = /^(\/case\/\d+|\/\w+)(\/.*)$/.exec(url.pathname) ?? [];
  const body = await bodyOf(request);
  if (prefix === "/cut") throw new Error("cut");
  if (prefix === "/slow") await new Promise((resolve) => setTimeout(resolve, SLOW));
  const handler = find(prefix);
  if (handler === undefined) {
    response.writeHead(500).end(`no handler for ${prefix}\n`);
    return;
  }
  const { statusCode, headers, body: text } = await handler(eventOf(request, url, path, body));
  if (!first.has(prefix)) first.set(prefix, { request: body, response: text });
  response.writeHead(statusCode, { ...headers, "content-length": Buffer.byteLength(text) }).end(text);
}

/** The event that an HTTP API makes of a request (payload 2.0). */
function eventOf(request: IncomingMessage, url: URL, path: string, body: string) {
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: path,
    rawQueryString: url.searchParams.toString(),
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    queryStringParameters: Object.fromEntries(url.searchParams),
    requestContext: {
      http: { method: request.method ?? "", path, protocol: "HTTP/1.1", sourceIp: "127.0.0.1" },
      requestId: "id",
      stage: "$default",
    },
    body,
    isBase64Encoded: false,
  };
}
