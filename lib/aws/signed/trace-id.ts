// The trace that X-Ray records of the invocation that runs now. Lambda says it in the environment, anew for each invocation.
import type { Environment } from "./service-endpoint.ts";

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
