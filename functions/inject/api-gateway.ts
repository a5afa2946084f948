// API Gateway's two payload formats, 1.0 (REST) and 2.0 (HTTP API, function URL), as far as a webhook needs them.

import { traceIdOf } from "@outrigger/aws";
import { textOf } from "@outrigger/base";
import { type AdmitRequest, admit, logAdmission } from "@outrigger/serving";
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from "aws-lambda";

/** The fields of both formats that are used. API Gateway builds the event, but the caller chooses most of its contents. */
export type GatewayEvent = Fields<
  APIGatewayProxyEvent,
  "path" | "httpMethod" | "headers" | "multiValueHeaders" | "queryStringParameters" | "multiValueQueryStringParameters"
> &
  Fields<APIGatewayProxyEventV2, "version" | "rawPath" | "rawQueryString"> & {
    readonly body?: string | null;
    readonly isBase64Encoded?: boolean;
    readonly requestContext?: {
      readonly stage?: string;
      readonly requestId?: string;
      readonly http?: Fields<APIGatewayProxyEventV2["requestContext"]["http"], "method" | "path">;
    };
  };

/** The fields by name. An event of the other format has none of them; null is what the REST format has for nothing. */
type Fields<Event, Name extends keyof Event> = { readonly [Key in Name]?: Event[Key] | null };

export interface GatewayResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: false;
}

const NONE: Readonly<Record<string, string | undefined>> = Object.freeze({});

/** The HTTP request in an event of either format. Who may invoke the function may send anything: only texts are taken. */
export function requestOf(event: GatewayEvent): AdmitRequest {
  const http = event.requestContext?.http ?? undefined;
  const timeout =
    event.queryStringParameters?.["timeout"] ?? lastOf(event.multiValueQueryStringParameters?.["timeout"]);
  return {
    method: textOf(http === undefined ? event.httpMethod : http.method) ?? "",
    path:
      http === undefined
        ? (textOf(event.path) ?? "") // 1.0 leaves the stage out
        : withoutStage(textOf(event.rawPath ?? http.path) ?? "", event.requestContext?.stage),
    query: { timeout: textOf(timeout) },
    headers: { "content-type": textOf(event.headers?.["content-type"] ?? findHeader(event, "content-type")) },
    body: textOf(event.body),
    isBase64: event.isBase64Encoded === true,
    ...requestIdOf(event.requestContext?.requestId),
  };
}

/** The ID that API Gateway gives a call and writes to its own log; nothing else may enter logs and audit annotations. */
function requestIdOf(value: unknown): Pick<AdmitRequest, "requestId"> {
  return typeof value === "string" && REQUEST_ID.test(value) ? { requestId: value } : NO_REQUEST_ID;
}

const REQUEST_ID = /^[\w=+/-]{1,64}$/;
const NO_REQUEST_ID = Object.freeze({});

function withoutStage(path: string, stage: unknown): string {
  if (typeof stage !== "string" || stage === "" || stage === "$default") return path;
  const prefix = `/${stage}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length - 1) : path;
}

/**
 * Returns a header. Format 2.0 has header names in lower case. Format 1.0 keeps their case, and may have a header in
 * one of its two maps only.
 */
function findHeader(event: GatewayEvent, name: string): unknown {
  for (const key in event.headers ?? NONE) if (key.toLowerCase() === name) return event.headers?.[key];
  for (const key in event.multiValueHeaders ?? NONE)
    if (key.toLowerCase() === name) return lastOf(event.multiValueHeaders?.[key]);
  return undefined;
}

function lastOf(values: unknown): string | undefined {
  return Array.isArray(values) ? values.at(-1) : undefined;
}

type Dependencies = Parameters<typeof admit>[1];
type LogOptions = Parameters<typeof logAdmission>[1];

/** A handler of the kind that Lambda's `nodejs` runtimes call. */
export type Handler = (event: GatewayEvent) => Promise<GatewayResult>;

export function handlerOf(dependencies: Dependencies, write: LogOptions["write"], metrics?: LogOptions["metrics"]) {
  const log: LogOptions = metrics === undefined ? { write } : { write, metrics };
  let cold = true;
  return async (event: GatewayEvent): Promise<GatewayResult> => {
    const traceId = traceIdOf(process.env);
    // Who may invoke the function may send null.
    const response = await admit(requestOf(event ?? {}), dependencies);
    const record = traceId === undefined ? response.log : { ...response.log, traceId };
    logAdmission(cold ? { ...record, cold } : record, log);
    cold = false;
    return { statusCode: response.status, headers: response.headers, body: response.body, isBase64Encoded: false };
  };
}
