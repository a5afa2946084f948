// The description of an error in the log: without anything that could be part of a pod or a secret.
import { OutriggerError } from "@outrigger/base";

/** Longer texts are cut. */
const MAX_MESSAGE = 2000;
const MAX_PATH = 253;

/**
 * An OutriggerError has a form for the log if its message contains pod contents. Of any other error, only the name and
 * the stack are logged: its message may quote the pod.
 */
export function describeError(error: unknown): object {
  if (error instanceof OutriggerError) {
    const { code, line, column } = error;
    const { message, path } = error.logged ?? error;
    return { code, message: message.slice(0, MAX_MESSAGE), path: path?.slice(0, MAX_PATH), line, column };
  }
  if (!(error instanceof Error)) return { name: typeof error };
  const places = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { name: error.name, stack: places.slice(0, 8).map((line) => line.trim()) };
}
