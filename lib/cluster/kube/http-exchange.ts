// One HTTP exchange through Node's own client, which takes authorities and client certificates as fetch does not, and
// what its failures come to in words. What is asked and what an answer means is not known here.
import type { Agent, OutgoingHttpHeaders } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { createSecureContext } from "node:tls";
import { gunzipSync } from "node:zlib";
import { httpCall } from "@outrigger/aws";
import { defined } from "@outrigger/base";
import { withinOwnTime } from "./own-time.ts";

export interface HttpRequest {
  readonly method: string;
  /** Path with query, below the server's URL. */
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  /** Instead of the server's own. */
  readonly timeoutMilliseconds?: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  /** Seconds. */
  readonly retryAfter?: number;
  /** Texts of the `Warning` headers. */
  readonly warnings?: readonly string[];
  /** The `Date` header: the server's clock. */
  readonly date?: string;
}

/** The authorities to trust, and the client's own certificate. All texts are PEM. */
export interface HttpServer {
  /** `https://…`, or `http://…` on this machine. */
  readonly url: string;
  readonly ca?: string;
  readonly certificate?: string;
  readonly key?: string;
  /** The name to expect in the certificate, where it is not the URL's. */
  readonly serverName?: string;
  readonly insecure?: boolean;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly timeoutMilliseconds: number;
  /** After which a connection that nothing is sent over is closed; left out: 5 s. */
  readonly idleMilliseconds?: number;
  /** Makes the agent that reaches the server through a proxy; left out, or undefined for a direct way. */
  readonly agentFor?: AgentFor;
}

/** The way to a URL through a proxy: undefined where there is none. */
export type AgentFor = (url: string) => Agent | undefined;

const MAX_BODY = 64 * 1024 * 1024;

export type Exchange = (request: HttpRequest, token?: string) => Promise<HttpAnswer>;

/**
 * Sends requests to one server, over connections that are kept while it lives. Whatever Node or OpenSSL says went wrong is
 * thrown as it is: see {@link exchangeProblem}.
 */
export function exchangeWith(server: HttpServer): Exchange {
  const isSecure = server.url.startsWith("https:");
  const proxied = server.agentFor?.(server.url);
  const { idleMilliseconds: timeout = IDLE } = server;
  const agent = proxied ?? (isSecure ? new HttpsAgent({ keepAlive: true, timeout }) : undefined);
  // Certificates are read once, and not for each connection. Where they cannot be, the request fails.
  let tls: ReturnType<typeof tlsOptions> | undefined;
  return async ({ method, path, body: sent, contentType, timeoutMilliseconds }, token) => {
    const url = new URL(`${server.url.replace(/\/$/, "")}${path}`);
    if (isSecure) tls ??= tlsOptions(server);
    const headers = {
      accept: "application/json",
      "user-agent": "outrigger",
      ...(server.headers as OutgoingHttpHeaders | undefined),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(sent === undefined ? {} : { "content-type": contentType }),
    };
    const call = {
      method,
      headers,
      body: sent,
      limit: MAX_BODY,
      agent,
      ...tls,
    };
    const limit = timeoutMilliseconds ?? server.timeoutMilliseconds;
    const reply = await withinOwnTime(limit, (signal) => httpCall(url, { ...call, signal }));
    const { status, bytes } = reply;
    const isProxied = server.agentFor !== undefined && agent !== undefined && !(agent instanceof HttpsAgent);
    if (isProxied && status === 407) throw proxyProblem(407);
    if (bytes === undefined) throw new Error("the answer is too large");
    const { date, "retry-after": after, "content-encoding": encoding } = reply.headers;
    const [retryAfter, warnings] = [secondsOf(after, Date.now()), warningsOf(reply.headersDistinct["warning"])];
    // Nobody asked for it, and proxies compress all the same.
    const body = encoding === "gzip" ? gunzipSync(bytes, { maxOutputLength: MAX_BODY }) : bytes;
    return { status, body: body.toString("utf8"), ...defined({ retryAfter, warnings, date }) };
  };
}

export function proxyProblem(status: number | undefined): Error {
  const code = status === 407 ? "PROXY_AUTHENTICATION" : `the proxy answers HTTP ${status}`;
  return Object.assign(new Error("the proxy does not connect"), { code });
}

/**
 * Seconds of a Retry-After header, which is a number or an HTTP date; undefined for anything else.
 *
 * @example
 * ```ts
 * secondsOf("3", 0) // => 3
 * secondsOf("Thu, 01 Jan 1970 00:00:07 GMT", 2000) // => 5
 * secondsOf("soon", 0) // => undefined
 * ```
 */
export function secondsOf(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}

/** The texts of `299 - "text"`, as RFC 7234 quotes them. */
function warningsOf(headers: readonly string[] | undefined): readonly string[] | undefined {
  return headers?.flatMap((header) =>
    [...header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => text.replaceAll(/\\(.)/g, "$1")),
  );
}

function tlsOptions({ ca, certificate, key, serverName, insecure }: HttpServer) {
  const secureContext = createSecureContext(defined({ ca, cert: certificate, key }));
  return defined({ secureContext, servername: serverName, rejectUnauthorized: insecure !== true });
}

const UNTRUSTED = "its certificate is not signed by the expected authority";
const OF_ANOTHER = "its certificate is for another name";

/** A cluster is asked thirty things at once. Of hundreds that are asked in turn, those that were asked must hold no connections. */
const IDLE = 5000;

/** The meaning of codes of Node's or of OpenSSL's. Every other is shown as it is. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ENOTFOUND: "its name is not known here",
  EAI_AGAIN: "its name cannot be looked up",
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was cut",
  ABORT_ERR: "it does not answer in time",
  ETIMEDOUT: "it does not answer in time",
  EHOSTUNREACH: "there is no way there",
  ENETUNREACH: "there is no way there",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
  PROXY_AUTHENTICATION: "the proxy asks for a name and a password: write them into its URL",
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: OF_ANOTHER,
};

/** The code of an error of Node's or of OpenSSL's; empty for any other error. */
export function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

/** Whether something answered that is not the server: the network lets calls through. */
export function isOtherServer(cause: unknown): boolean {
  return [UNTRUSTED, OF_ANOTHER].includes(PROBLEMS[codeOf(cause)] ?? "");
}

/** Whether waiting does not help: who has signed a certificate does not change. */
export function isUntrusted(cause: unknown): boolean {
  return PROBLEMS[codeOf(cause)] === UNTRUSTED;
}

export function exchangeProblem(cause: unknown): string {
  const code = codeOf(cause);
  return PROBLEMS[code] ?? (code === "" || code === "23" ? "it does not answer in time" : `the call failed (${code})`);
}
