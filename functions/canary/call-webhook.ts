// One call of the webhook through its public URL. The URL holds a token: no error and no answer's text leaves from
// here, since either may repeat it.
import { httpCall } from "@outrigger/aws";

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
  const { timeout, connectTo } = options;
  const signal = AbortSignal.timeout(timeout);
  try {
    const target = new URL(url);
    // The name in the certificate and in the header `host` is the URL's, wherever the connection goes.
    const servername = target.hostname;
    const where = connectTo === undefined ? {} : { host: connectTo, hostname: connectTo, servername };
    const headers = { "content-type": "application/json", host: target.host };
    const call = { method: "POST", headers, body, limit: MAX_BODY, signal, agent: false as const, ...where };
    const { status, bytes } = await httpCall(target, call);
    return bytes === undefined
      ? { kind: "none", problem: "the answer is longer than any of ours" }
      : { kind: "answer", status, body: bytes.toString("utf8") };
  } catch (error) {
    return { kind: "none", problem: signal.aborted ? `no answer came within ${timeout / 1000} s` : problemOf(error) };
  }
}

/** Codes and names only: messages of the runtime quote URLs. */
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return "the call failed";
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return `the call failed: ${code}`;
}
