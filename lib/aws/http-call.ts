// One HTTP request through Node's own client, which takes agents of proxies and authorities as fetch does not, and its whole
// answer. Knows no service; what a failure means is its caller's to say.
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";

interface HttpCall extends RequestOptions {
  readonly body?: string | Uint8Array | undefined;
  /** The most bytes that an answer may have. */
  readonly limit: number;
}

interface HttpReply extends Pick<IncomingMessage, "headers" | "headersDistinct"> {
  readonly status: number;
  /** Undefined where there are more than the limit. */
  readonly bytes: Buffer | undefined;
}

/**
 * Sends a request. Redirects are answers.
 *
 * @throws Node's own error where no whole answer comes, or the signal aborts
 */
export async function httpCall(url: URL, { body, limit, ...options }: HttpCall): Promise<HttpReply> {
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = send(url, options, resolve).on("error", reject);
    // Node gives the body of a DELETE no length, which servers refuse.
    if (body !== undefined) sent.setHeader("content-length", Buffer.byteLength(body));
    sent.end(body);
  });
  const { statusCode: status = 0, headers, headersDistinct } = response;
  const chunks: Uint8Array[] = [];
  let left = limit;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    left -= chunk.length;
    // Leaving the loop ends the connection.
    if (left < 0) break;
  }
  return { status, headers, headersDistinct, bytes: left < 0 ? undefined : Buffer.concat(chunks) };
}
