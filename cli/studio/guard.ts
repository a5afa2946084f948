// Decides which requests the studio answers. Its API is as powerful as a shell with the user's credentials, so a request
// must come from the studio's own page: not from another site, not through another name of this machine, not without the
// secret that the command printed.
//
// | request                                   | answer |
// |-------------------------------------------|--------|
// | Host is not the studio's own address      | 421    | DNS rebinding
// | Sec-Fetch-Site says another site          | 403    |
// | not GET, and Origin is not the studio's   | 403    | cross-site forms and scripts
// | no session cookie, or a wrong one         | 403    | everything but /open

import type { IncomingMessage } from "node:http";
import { isSameSecret } from "@outrigger/serving";

export const NO_KEY = "Open the address that outrigger printed: it has the studio's key";

const LOCAL_NAMES: readonly string[] = ["127.0.0.1", "localhost", "[::1]"];

/**
 * The fault of a request; undefined if it may be answered. `/open` checks the key itself.
 *
 * @param session what the cookie must hold, which the key is exchanged for
 */
export function refusalOf(
  path: string,
  { method, headers }: Pick<IncomingMessage, "method" | "headers">,
  port: number,
  session: string,
): { readonly status: 403 | 421; readonly message: string } | undefined {
  const hosts = LOCAL_NAMES.map((name) => `${name}:${port}`);
  const { host, origin, cookie } = headers;
  if (typeof host !== "string" || !hosts.includes(host)) {
    return { status: 421, message: `The studio answers at ${hosts[0]} only` };
  }
  const site = headers["sec-fetch-site"];
  const isOtherSite = site !== undefined && site !== "same-origin" && site !== "none";
  const isRead = method === "GET" || method === "HEAD";
  const isOtherOrigin = (origin !== undefined || !isRead) && origin !== `http://${host}`;
  if (isOtherSite || isOtherOrigin) return { status: 403, message: "The studio answers its own page only" };
  if (path !== "/open" && !isSameSecret(sessionIn(cookie, port), session)) {
    return { status: 403, message: NO_KEY };
  }
  return undefined;
}

/** Cookies do not know ports: each studio's has its own name. */
export function cookieName(port: number): string {
  return `outrigger-studio-${port}`;
}

function sessionIn(cookie: unknown, port: number): string | undefined {
  if (typeof cookie !== "string") return undefined;
  const pairs = cookie.split(";").map((pair) => pair.trim().split("="));
  return pairs.find(([name]) => name === cookieName(port))?.[1];
}
