// Text from outside that should be a JSON object. Pure.
import { isObject, type JsonObject } from "@outrigger/base";

/** Undefined for what is no JSON object. */
export function readObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
