// Servers of tests and tools: on a free port of the loopback interface.
import type { IncomingMessage } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { text } from "node:stream/consumers";

/** The port of a server, once it listens. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Ends a server of HTTP, with what is open. */
export function closing(server: Server & { closeAllConnections(): void }): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

export const bodyOf: (request: IncomingMessage) => Promise<string> = text;
