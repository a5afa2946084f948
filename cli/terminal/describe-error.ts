// How an error reads in a terminal.
import { OutriggerError } from "@outrigger/base";

/** The message, and where it names no line itself, the place: `(templates/sidecar:12:3)`. A bug shows its stack. */
export function describeError(error: unknown): string {
  if (!(error instanceof OutriggerError)) {
    return `This is a bug in Outrigger: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
  const { message, path, line, column } = error;
  if (path === undefined || line === undefined || message.includes(`line ${line}`)) return message;
  return `${message} (${[path, line, column].filter((part) => part !== undefined).join(":")})`;
}
