// Owns one call of the webhook through its public URL. The URL holds a token: no error and no answer's text leaves from
// here, since either may repeat it.

export type WebhookAnswer =
  | { readonly kind: "answer"; readonly status: number; readonly body: string }
  /** Why no answer came, without the URL. */
  | { readonly kind: "none"; readonly problem: string };

/** An injected pod is a few KB; whatever is longer is no answer of ours. */
const MAX_BODY = 1024 * 1024;

/** Posts a review and reads what comes back, all within `timeout` milliseconds. Never throws. */
export async function callWebhook(url: string, review: unknown, timeout: number): Promise<WebhookAnswer> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(review),
      redirect: "manual", // a token is not carried elsewhere
      signal: AbortSignal.timeout(timeout),
    });
    const body = await readBounded(response);
    return body === undefined
      ? { kind: "none", problem: "the answer is longer than any of ours" }
      : { kind: "answer", status: response.status, body };
  } catch (error) {
    return { kind: "none", problem: problemOf(error, timeout) };
  }
}

async function readBounded(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Codes and names only: messages of the runtime quote URLs. */
function problemOf(error: unknown, timeout: number): string {
  if (!(error instanceof Error)) return "the call failed";
  if (error.name === "TimeoutError") return `no answer came within ${timeout / 1000} s`;
  const { cause } = error;
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : error.name;
  return `the call failed: ${code}`;
}
