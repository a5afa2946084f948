// What a function finds around itself: its settings, and services that may hold it.
import { OutriggerError } from "@outrigger/base";

/** @throws OutriggerError `usage` where the variable is missing or empty */
export function setting(key: string): string {
  const value = process.env[key];
  if (value !== undefined && value !== "") return value;
  throw new OutriggerError("usage", `${key} is not set: deploy with serverless.yml, which sets it`);
}

/**
 * Limits for one request to AWS in milliseconds, as the options of a client's `requestHandler`. Without limits the SDK
 * waits for as long as the function may run, and a function that is held by one service has no answer to give. Without
 * the last option, the SDK only writes a warning when time is over.
 */
export const REQUEST_LIMITS = { connectionTimeout: 3000, requestTimeout: 10_000, throwOnRequestTimeout: true } as const;
