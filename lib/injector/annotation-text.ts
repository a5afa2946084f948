// How the texts of annotations are read, and what is said of one that cannot be.

import { OutriggerError } from "@outrigger/base";

/** Those that Go's strconv.ParseBool reads. */
const BOOLEANS = new Map<string, boolean>([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

/**
 * The boolean, or undefined if Go does not read the text as one.
 *
 * @example
 * ```ts
 * parseGoBoolean("T") // => true
 * parseGoBoolean("yes") // => undefined
 * ```
 */
export function parseGoBoolean(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : BOOLEANS.get(text);
}

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param logged the message without what the pod's author wrote, where the message has it */
export function annotationError(name: string, message: string, logged?: string, cause?: unknown): OutriggerError {
  const path = `metadata.annotations["${name}"]`;
  const details = logged === undefined ? { path, cause } : { path, cause, logged: { message: logged, path } };
  return new OutriggerError("annotation-invalid", message, details);
}
