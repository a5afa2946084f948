// Servers of tests and tools: on a free port of the loopback interface.
import type { IncomingMessage } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { text } from "node:stream/consumers";

/**
 * Milliseconds for which a connection is kept open that nothing comes through. API servers keep one for 90 s: a server that closes it before,
 * as Node's do after five seconds, resets a request that comes at that moment.
 */
const KEPT_OPEN = 120_000;

/** The port of a server, once it listens. */
export async function listening(server: Server & { keepAliveTimeout?: number }): Promise<number> {
  if (server.keepAliveTimeout !== undefined) server.keepAliveTimeout = KEPT_OPEN;
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Ends a server of HTTP, with what is open. What is being opened ends with its first answer. */
export function closing(server: Server & { keepAliveTimeout: number; closeAllConnections(): void }): Promise<void> {
  server.keepAliveTimeout = 1;
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

export const bodyOf: (request: IncomingMessage) => Promise<string> = text;
