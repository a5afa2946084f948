// A deployment whose parameters are read once for all clusters of a command that takes one look.
import { decorate } from "@outrigger/base";
import type { Deployment } from "../connect/deployment.ts";

const READS: readonly string[] = ["getParameters", "getParametersByPath"];

/** The deployment, of which each read is made once; one that fails is made again. For commands that write nothing. */
export function sharedReads(deployment: Deployment): Deployment {
  const known = new Map<string, Promise<unknown>>();
  const store = decorate(deployment.store, (method, args, call) => {
    if (!READS.includes(method)) return call(...args);
    const key = JSON.stringify([method, args[0]]);
    const reading = known.get(key) ?? Promise.resolve(call(...args));
    known.set(key, reading);
    reading.catch(() => known.delete(key));
    return reading;
  });
  return { ...deployment, store };
}
