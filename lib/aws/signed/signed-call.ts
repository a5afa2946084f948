// One call of an AWS service that speaks JSON, signed, over one connection. Knows no operation.
import { type JsonValue, objectOf, once, parseJson } from "@outrigger/base";
import type { Answer } from "./answer-reader.ts";
import { exchangeOnce, type Sessions } from "./exchange-once.ts";
import { type Environment, serviceEndpoint } from "./service-endpoint.ts";
import { credentialsOf, signRequest } from "./sign-request.ts";

/**
 * One operation: its target, its input, the signal that gives it up.
 *
 * @throws Error with the `name` and `message` that the service gave and the `status` it came with; as Node's own, without a
 * status, where no answer came or none that could be read
 */
type Call = (target: string, input: JsonValue, signal?: AbortSignal) => Promise<JsonValue>;

/**
 * Connections are not kept: the process is stopped between requests, and a connection that the other side has closed
 * meanwhile fails the very call that it was kept for. TLS sessions are.
 *
 * @param sent is called for every request that was sent: from then on there is nothing to do but wait
 */
export function signedCaller(service: string, env: Environment, sent: () => void = () => {}): Call {
  const region = env["AWS_REGION"] ?? "";
  const endpoint = once(() => serviceEndpoint(service, env));
  const sessions: Sessions = {};
  return async (target, input, signal) => {
    const url = endpoint();
    const body = JSON.stringify(input);
    const unsigned = { "content-type": "application/x-amz-json-1.1", host: url.host, "x-amz-target": target };
    const headers = signRequest(unsigned, body, { service, region, credentials: credentialsOf(env), date: new Date() });
    // CloudTrail keeps the user agent of a call, and no header besides. It is not signed: a proxy may change it.
    const trace = traceIdOf(env);
    const all = trace === undefined ? headers : { ...headers, "user-agent": `outrigger ${trace}` };
    return read(await exchangeOnce(url, { headers: all, body, signal, sent }, sessions));
  };
}

function read({ status, body }: Answer): JsonValue {
  if (status >= 200 && status < 300) return JSON.parse(body) as JsonValue;
  // A gateway on the way may answer anything.
  const { __type: type, message, Message } = objectOf(parseJson(body));
  // `com.amazonaws.ssm#ThrottlingException`, `ThrottlingException:http://…` or the name alone.
  const name = typeof type === "string" ? (type.split("#").at(-1)?.split(":")[0] ?? "") : "";
  const words = [message, Message].find((text) => typeof text === "string") ?? `status ${status}`;
  throw Object.assign(new Error(String(words)), { name: name || "Error", status });
}

/** `1-`, eight digits of a time, `-`, 24 random ones: a caller may have chosen it, so nothing else is taken. */
const SAMPLED = /^Root=(1-[0-9a-f]{8}-[0-9a-f]{24});.*Sampled=1/;

/**
 * The trace's ID, or undefined where X-Ray records none, as with the setting `tracing: off`.
 *
 * @example
 * ```ts
 * traceIdOf({ _X_AMZN_TRACE_ID: "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1" }) // => "1-5759e988-bd862e3fe1be46a994272793"
 * traceIdOf({ _X_AMZN_TRACE_ID: "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0" }) // => undefined
 * ```
 */
export function traceIdOf(env: Environment): string | undefined {
  return SAMPLED.exec(env["_X_AMZN_TRACE_ID"] ?? "")?.[1];
}
