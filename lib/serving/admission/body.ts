// The bytes of a request's body, within the limit that Lambda sets.

import { OutriggerError } from "@outrigger/base";
import { invalid } from "./review.ts";

/**
 * The largest body that is read: 3 MiB. etcd stores objects of up to 1.5 MiB, and an update carries two of them. Lambda
 * accepts events of up to 6 MB, in which a body may be base64 (a third larger).
 */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/**
 * The text of a body, which may be bytes, text, or base64 text. Bytes that are not UTF-8 become U+FFFD, as in Go's JSON
 * decoder.
 *
 * @throws OutriggerError `review-too-large` before anything is decoded, `review-invalid` when there is no body
 */
export function readBody(body: string | Uint8Array | undefined, isBase64: boolean): string {
  if (body === undefined || body.length === 0)
    throw invalid("The request has no body: send an AdmissionReview as JSON");
  if (bodyBytes(body, isBase64) > MAX_BODY_BYTES) {
    const message = `The request body is larger than ${MAX_BODY_BYTES} bytes, the most that is read`;
    throw new OutriggerError("review-too-large", message);
  }
  if (typeof body !== "string") return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
  return isBase64 ? Buffer.from(body, "base64").toString("utf8") : body;
}

/** UTF-8 needs one to three bytes for a UTF-16 unit, so most texts need no counting. */
function bodyBytes(body: string | Uint8Array, isBase64: boolean): number {
  if (typeof body !== "string") return body.byteLength;
  if (isBase64) return Buffer.byteLength(body, "base64");
  if (body.length * 3 <= MAX_BODY_BYTES || body.length > MAX_BODY_BYTES) return body.length;
  return Buffer.byteLength(body, "utf8");
}
