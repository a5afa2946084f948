// How long the fakes' servers keep connections, and how they end.
import type { Server } from "node:http";

/** Longer than clients keep a connection that they do not use: a server that closes it first can do so just when the next call is sent, and that call fails. */
export const KEPT_OPEN = { keepAliveTimeout: 120_000 };

/** Ends a server at once, calls in flight included. A connection that is only being opened then ends with its first answer. */
export function endAtOnce(server: Pick<Server, "close" | "closeAllConnections" | "keepAliveTimeout">): Promise<void> {
  server.keepAliveTimeout = 1;
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
