// The inject function itself as a webhook for tests of registering: its handler behind HTTPS on loopback, on a store.
import { createServer } from "node:https";
import type { ParametersByName } from "@outrigger/aws";
import type { Certificate } from "@outrigger/cli";
import { serveStore } from "@outrigger/serving";
import { handlerOf } from "../../functions/inject/api-gateway.ts";
import { bodyOf, closing, listening } from "../support/loopback.ts";

export interface RealWebhook {
  readonly url: string;
  /** Lines of the function's log. */
  readonly lines: string[];
  /** Whether every call fails, as while the endpoint is down. */
  isDown: boolean;
  close(): Promise<void>;
}

/** A container that is called with a token it does not know asks for what is new once a minute. */
const MORE_THAN_A_MINUTE = 61_000;

/** Between two requests a minute passes. */
export async function startRealWebhook({ key, cert }: Certificate, reader: ParametersByName): Promise<RealWebhook> {
  const lines: string[] = [];
  let requests = 0;
  const { find, live } = serveStore({
    prefix: "/outrigger/dev",
    reader,
    ttl: 10_000,
    bundled: undefined,
    clock: { now: () => Date.now() + requests * MORE_THAN_A_MINUTE, after },
    random: Math.random,
    report: () => {},
  });
  live.start();
  const handler = handlerOf({ find, now: () => performance.now() }, (line) => void lines.push(line));
  const state = { isDown: false };
  const server = createServer({ key, cert }, async (request, response) => {
    if (state.isDown) return void response.writeHead(503).end();
    requests++;
    const { pathname, searchParams } = new URL(request.url ?? "/", "https://localhost");
    const { statusCode, headers, body } = await handler({
      version: "2.0",
      rawPath: pathname,
      headers: { "content-type": request.headers["content-type"] },
      queryStringParameters: Object.fromEntries(searchParams),
      requestContext: { http: { method: request.method ?? "", path: pathname } },
      body: await bodyOf(request),
      isBase64Encoded: false,
    });
    response.writeHead(statusCode, headers).end(body);
  });
  return Object.assign(state, {
    url: `https://localhost:${await listening(server)}`,
    lines,
    close: () => closing(server),
  });
}

function after(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}
