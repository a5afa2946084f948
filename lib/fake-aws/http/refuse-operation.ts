// Refusing an operation that this fake has not: by its name, and in the form in which its service refuses, so that nothing which was not
// done looks done.
import type { IncomingMessage, ServerResponse } from "node:http";
import { signedFor } from "./signed-for.ts";

/** The name of the operation that a request asks for: `DescribeStackEvents`; where only its path says it, method and path. */
export function operationOf({ headers, method = "", url = "/" }: IncomingMessage, body: string): string {
  const [path = ""] = url.split("?");
  const target = String(headers["x-amz-target"] ?? "")
    .split(".")
    .at(-1);
  // The form of CBOR has the operation in its path.
  const named = /\/operation\/(\w+)$/.exec(path)?.[1];
  return named || target || (method === "POST" && new URLSearchParams(body).get("Action")) || `${method} ${path}`;
}

/** Answers that this fake has no such operation. */
export function refuseOperation(request: IncomingMessage, body: string, response: ServerResponse): void {
  const type = "UnknownOperationException";
  const { service } = signedFor(request);
  const message = `this fake has no ${[service, operationOf(request, body)].filter((part) => part !== "").join(" ")}`;
  if (isForm(request) || service === "s3") {
    const error = `<Error><Type>Sender</Type><Code>${type}</Code><Message>${escaped(message)}</Message></Error>`;
    response.writeHead(400, { "content-type": "text/xml" });
    response.end(service === "s3" ? error : `<ErrorResponse>${error}</ErrorResponse>`);
    return;
  }
  response.writeHead(400, { "content-type": "application/x-amz-json-1.1", "x-amzn-errortype": type });
  response.end(JSON.stringify({ __type: type, message }));
}

/** Whether a service is asked by its query protocol: a form, which is answered with XML. */
export function isForm({ headers }: IncomingMessage): boolean {
  return String(headers["content-type"] ?? "").startsWith("application/x-www-form-urlencoded");
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
