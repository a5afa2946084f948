// How an error reads in a terminal.
import { OutriggerError } from "@outrigger/base";
import type { Io } from "./io.ts";

/**
 * The message, and where it names no line itself, the place: `(templates/sidecar:12:3)`. A bug shows its stack. What failed
 * with AWS may have asked another endpoint, which is named: a variable outlives the local try-out that set it.
 */
export function describeError(error: unknown, env: Io["env"] = {}): string {
  const said = messageOf(error);
  if (error instanceof OutriggerError && !OF_AWS.test(error.code)) return said;
  const names = Object.keys(env).filter((name) => /^AWS_ENDPOINT_URL(?:_|$)/.test(name) && env[name]);
  if (names.length === 0 || env["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] === "true") return said;
  const set = names.map((name) => `${name}=${env[name]}`).join(" ");
  return `${said}\nAWS calls go where the environment says: ${set}; for AWS itself: unset ${names.join(" ")}`;
}

/** A stack and a cluster that are not known were asked for at the same endpoint. */
const OF_AWS = /^(?:aws|store)-|^(?:channel|cluster|release)-unknown$|^deadline-exceeded$/;

function messageOf(error: unknown): string {
  if (!(error instanceof OutriggerError)) {
    return `This is a bug in Outrigger: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
  const { message, path, line, column } = error;
  if (path === undefined || line === undefined || message.includes(`line ${line}`)) return message;
  return `${message} (${[path, line, column].filter((part) => part !== undefined).join(":")})`;
}
