// The Lambda entry point: an API Gateway event in, a proxy result and a log line out. lib/serving/admission does everything else.
import { traceIdOf } from "@outrigger/aws";
import { admit, logAdmission } from "@outrigger/serving";
import { type GatewayEvent, type GatewayResult, requestOf, resultOf } from "./api-gateway.ts";

type Dependencies = Parameters<typeof admit>[1];
type LogOptions = Parameters<typeof logAdmission>[1];

/** A handler of the kind that Lambda's `nodejs` runtimes call. */
export type Handler = (event: GatewayEvent) => Promise<GatewayResult>;

/** A handler that answers through the given dependencies. */
export function handlerOf(
  dependencies: Dependencies,
  write: LogOptions["write"],
  metrics?: LogOptions["metrics"],
): Handler {
  const log: LogOptions = metrics === undefined ? { write } : { write, metrics };
  let cold = true;
  return async (event) => {
    const traceId = traceIdOf(process.env);
    // Who may invoke the function may send null.
    const response = await admit(requestOf(event ?? {}), dependencies);
    const record = traceId === undefined ? response.log : { ...response.log, traceId };
    logAdmission(cold ? { ...record, cold } : record, log);
    cold = false;
    return resultOf(response);
  };
}
