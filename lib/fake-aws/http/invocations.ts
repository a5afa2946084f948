// Lambda's Invoke on the fake's port.
import type { IncomingMessage, ServerResponse } from "node:http";
import { parseJson } from "@outrigger/base";

/**
 * What a function answers. What it throws is the function's error, except for `TooManyRequestsException`, with which the
 * service has no capacity for the call, and `ConnectionReset`, with which the answer is lost. Undefined says that there is no
 * such function.
 *
 * @param name without account, Region and version
 * @param event as the function gets it
 */
export type Invoke = (name: string, event: unknown) => Promise<unknown>;

/** The function that a request calls; undefined where it calls none. */
export function invokedFunction(request: IncomingMessage): string | undefined {
  const { method, url = "" } = request;
  const [path = ""] = url.split("?");
  const [, encoded] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path) ?? [];
  if (method !== "POST" || encoded === undefined) return undefined;
  const parts = decodeURIComponent(encoded).split(":");
  // arn:aws:lambda:<region>:<account>:function:<name>[:<version>], <account>:function:<name> or <name>[:<version>]
  const marker = parts.indexOf("function");
  return marker === -1 ? parts[0] : parts[marker + 1];
}

function refuse(response: ServerResponse, status: number, error: string, message: string): void {
  response.setHeader("x-amzn-errortype", error);
  response.writeHead(status).end(JSON.stringify({ Type: "User", Message: message }));
}

export async function answerInvocation(
  request: IncomingMessage,
  response: ServerResponse,
  { name, body, invoke }: { readonly name: string; readonly body: string; readonly invoke: Invoke | undefined },
): Promise<void> {
  response.setHeader("content-type", "application/json");
  const type = request.headers["x-amz-invocation-type"] ?? "RequestResponse";
  const event = body === "" ? null : parseJson(body);
  if (event === undefined) {
    return refuse(response, 400, "InvalidRequestContentException", "Could not parse request body into json");
  }
  try {
    if (type === "DryRun") return void response.writeHead(204).end();
    const answer = await invoke?.(name, event);
    if (answer === undefined) return refuse(response, 404, "ResourceNotFoundException", `Function not found: ${name}`);
    response.setHeader("x-amz-executed-version", "$LATEST");
    if (type === "Event") response.writeHead(202).end();
    else response.end(JSON.stringify(answer));
  } catch (error) {
    const { name: errorType, message } = error instanceof Error ? error : new Error(String(error));
    if (errorType === "TooManyRequestsException") return refuse(response, 429, errorType, message);
    if (errorType === "ConnectionReset") return void response.socket?.resetAndDestroy();
    response.setHeader("x-amz-function-error", "Unhandled");
    response.end(JSON.stringify({ errorMessage: message, errorType }));
  }
}
