// The inject function itself as a webhook for tests of registering: its handler behind HTTPS on loopback, on a store.
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { ParametersByName } from "@outrigger/aws";
import type { Certificate } from "@outrigger/cli";
import { serveStore } from "@outrigger/serving";
import { handlerOf } from "../../functions/inject/api-gateway.ts";

export interface RealWebhook {
  readonly url: string;
  /** Lines of the function's log. */
  readonly lines: string[];
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
  const server = createServer({ key, cert }, async (request, response) => {
    const chunks: Uint8Array[] = [];
    requests++;
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const { pathname, searchParams } = new URL(request.url ?? "/", "https://localhost");
    const { statusCode, headers, body } = await handler({
      version: "2.0",
      rawPath: pathname,
      headers: { "content-type": request.headers["content-type"] },
      queryStringParameters: Object.fromEntries(searchParams),
      requestContext: { http: { method: request.method ?? "", path: pathname } },
      body: Buffer.concat(chunks).toString("utf8"),
      isBase64Encoded: false,
    });
    response.writeHead(statusCode, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    lines,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function after(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}
