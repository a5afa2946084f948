// One call of the webhook through its public URL. The URL holds a token: no error and no answer's text leaves from
// here, since either may repeat it.
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";

export type WebhookAnswer =
  | { readonly kind: "answer"; readonly status: number; readonly body: string }
  /** Why no answer came, without the URL. */
  | { readonly kind: "none"; readonly problem: string };

export interface CallOptions {
  /** Milliseconds for the whole call. */
  readonly timeout: number;
  /** The host to connect to, in place of the URL's: where that name may lead to another Region. */
  readonly connectTo?: string;
}

/** An injected pod is a few KB; whatever is longer is no answer of ours. */
const MAX_BODY = 1024 * 1024;

/** Posts a review and reads what comes back. A redirect is not followed: a token is not carried elsewhere. Never throws. */
export async function callWebhook(url: string, body: string, options: CallOptions): Promise<WebhookAnswer> {
  const signal = AbortSignal.timeout(options.timeout);
  try {
    const response = await post(new URL(url), body, options.connectTo, signal);
    const answered = await readBounded(response);
    return answered === undefined
      ? { kind: "none", problem: "the answer is longer than any of ours" }
      : { kind: "answer", status: response.statusCode ?? 0, body: answered };
  } catch (error) {
    return {
      kind: "none",
      problem: signal.aborted ? `no answer came within ${options.timeout / 1000} s` : problemOf(error),
    };
  }
}

/** The name in the certificate and in the header `host` is the URL's, wherever the connection goes. */
function post(url: URL, body: string, connectTo: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body), host: url.host };
  const where = connectTo === undefined ? {} : { host: connectTo, hostname: connectTo, servername: url.hostname };
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const options = { method: "POST", headers, signal, agent: false as const, ...where };
    request(url, options, resolve).on("error", reject).end(body);
  });
}

async function readBounded(response: IncomingMessage): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Codes and names only: messages of the runtime quote URLs. */
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return "the call failed";
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return `the call failed: ${code}`;
}
