// Where a server of this machine listens, and why it cannot.

import type { AddressInfo, Server } from "node:net";
import { OutriggerError } from "@outrigger/base";

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

function listenError({ host, port }: Parameters<typeof listen>[1], cause: NodeJS.ErrnoException): OutriggerError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "the port is taken; choose another with --port",
    EACCES: "the port needs more rights; choose one above 1023 with --port",
    EADDRNOTAVAIL: "the address is not one of this machine; choose another with --port ADDRESS:PORT",
    ENOTFOUND: "the name is not known; choose another with --port ADDRESS:PORT",
  };
  const reason = reasons[cause.code ?? ""] ?? cause.code ?? cause.message;
  return new OutriggerError("listen-failed", `Cannot listen on ${host}:${port}: ${reason}`, { cause });
}
