// How the texts of annotations are read, and what is said of one that cannot be.

import { OutriggerError } from "@outrigger/base";

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
