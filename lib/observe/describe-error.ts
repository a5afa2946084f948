// The description of an error in the log: without anything that could be part of a pod or a secret.
import { OutriggerError } from "../errors.ts";

/** Longer texts are cut: a message may name a key, and an author may make a key as long as a pod may be. */
const MAX_MESSAGE = 2000;
const MAX_PATH = 253;

/**
 * Our own errors hold no pod contents in their message. Of any other error only its name and the places it went
 * through are kept, because its message may quote what it stumbled over.
 */
export function describeError(error: unknown): object {
  if (error instanceof OutriggerError) {
    const { code, message, path, line, column } = error;
    return { code, message: message.slice(0, MAX_MESSAGE), path: path?.slice(0, MAX_PATH), line, column };
  }
  if (!(error instanceof Error)) return { name: typeof error };
  const places = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { name: error.name, stack: places.slice(0, 8).map((line) => line.trim()) };
}
