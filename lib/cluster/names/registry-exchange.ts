// One request to a registry, which nobody vouches for: bounded in time and size, over TLS, and with credentials for the host that
// they are for alone.
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";
import { defined, OutriggerError } from "@outrigger/base";
import type { AgentFor } from "../kube/http-exchange.ts";

export interface RegistryRequest {
  readonly method: "GET" | "HEAD";
  readonly accept: string;
  /** For the URL's host, and no host that it redirects to. */
  readonly authorization?: string;
  /** Gives the request up, with its redirects. */
  readonly signal: AbortSignal;
  readonly agentFor?: AgentFor | undefined;
}

export interface RegistryAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Empty for HEAD. */
  readonly body: string;
  /** Who answered, after redirects. */
  readonly url: URL;
}

const MOST_REDIRECTS = 5;

/** A token's answer has some kilobytes. */
const MAX_BODY = 256 * 1024;

/**
 * Sends a request, and follows redirects.
 *
 * @throws OutriggerError `endpoint-unfit` where a redirect leads to no HTTPS URL, or too many do, or an answer is too large; Node's
 * own errors otherwise
 */
export async function registryExchange(url: URL, request: RegistryRequest): Promise<RegistryAnswer> {
  let at = url;
  for (let followed = 0; followed <= MOST_REDIRECTS; followed++) {
    const { authorization, ...rest } = request;
    const isOwn = at.host === url.host && at.protocol === url.protocol;
    const answer = await exchange(at, { ...rest, ...(isOwn && defined({ authorization })) });
    const { location } = answer.headers;
    if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return answer;
    at = followTo(location, at);
  }
  throw new OutriggerError("endpoint-unfit", `${url.host} redirects more than ${MOST_REDIRECTS} times`);
}

/** Where a registry sends its client: over TLS, except within this machine. */
export function followTo(location: string, from: URL): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  const isLocal = to !== undefined && isLoopback(to) && isLoopback(from);
  const isSafe = to?.protocol === "https:" && (!isLoopback(to) || isLocal);
  if (to !== undefined && to.username === "" && (isSafe || (isLocal && to.protocol === "http:"))) return to;
  throw new OutriggerError("endpoint-unfit", `${from.host} sends its clients to what is no HTTPS URL of a registry`);
}

/** A registry on this machine may be without TLS, as container runtimes allow it. */
export function registryUrl(host: string, path: string): URL {
  const secure = new URL(`https://${host}${path}`);
  return isLoopback(secure) ? new URL(`http://${host}${path}`) : secure;
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function exchange(url: URL, { method, accept, authorization, signal, agentFor }: RegistryRequest) {
  const agent = agentFor?.(url.href);
  const headers = { accept, "user-agent": "outrigger", ...defined({ authorization }) };
  const options = { method, headers, signal, ...defined({ agent }) };
  return new Promise<RegistryAnswer>((resolve, reject) => {
    const sent = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, options, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= MAX_BODY) chunks.push(chunk);
        else response.destroy(new OutriggerError("endpoint-unfit", `${url.host} answers more than ${MAX_BODY} bytes`));
      });
      response.on("error", reject);
      response.on("end", () => {
        const body = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body, url });
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}
