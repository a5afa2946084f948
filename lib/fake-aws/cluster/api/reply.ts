// An API server's answers.
import type { ServerResponse } from "node:http";
import { isObject, type JsonObject, memoizeObject } from "@outrigger/base";

export interface Reply {
  readonly code: number;
  readonly body: JsonObject;
  /** The header `Retry-After`. */
  readonly retryAfter?: string;
  /** Texts of headers `Warning`. */
  readonly warnings?: readonly string[];
}

/** The message of a path that is not served. */
const NOT_SERVED = "404 page not found";

export function json(code: number, body: JsonObject): Reply {
  return { code, body };
}

/** A refusal, as Kubernetes words it. */
export function status(code: number, message: string, reason = REASONS[code]): Reply {
  return json(code, { kind: "Status", apiVersion: "v1", status: "Failure", message, ...(reason && { reason }), code });
}

const REASONS: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  422: "Invalid",
};

/** Says that there is no object at a path: `deployments.apps "web" not found`. */
export function missing(path: string): Reply {
  return status(404, `${namedAt(path)} not found`);
}

/** An object by its path: `deployments.apps "web"`. */
export function namedAt(path: string): string {
  const parts = path.split("/").slice(1);
  const [plural, name] = parts.slice(-2);
  const group = parts[0] === "apis" ? `.${parts[1]}` : "";
  return `${plural}${group} "${name}"`;
}

export function notServed(): Reply {
  return json(404, { kind: "Status", apiVersion: "v1", status: "Failure", message: NOT_SERVED, code: 404 });
}

/** A path that is not served at all is answered in plain text. */
export function textOf({ code, body }: Reply): string {
  if (code === 404 && body["message"] === NOT_SERVED) return NOT_SERVED;
  const { items, ...rest } = body;
  if (!Array.isArray(items) || !items.every(isObject)) return objectText(body);
  return `${JSON.stringify(rest).slice(0, -1)},"items":[${items.map(objectText).join(",")}]}`;
}

/** Objects are replaced and never changed: one that is as it was is not written anew. */
const objectText = memoizeObject((object: JsonObject) => JSON.stringify(object));

export function send(reply: Reply, response: ServerResponse): void {
  const { code, retryAfter, warnings = [] } = reply;
  for (const text of warnings) response.appendHeader("warning", `299 - "${text.replaceAll(/["\\]/g, "\\$&")}"`);
  response.writeHead(code, {
    "content-type": "application/json",
    ...(retryAfter && { "retry-after": retryAfter }),
  });
  response.end(textOf(reply));
}
