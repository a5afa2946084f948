// The one error class of the project: a code from a closed list, the place of the fault, and a message that says how to fix it.
// The codes are in error-codes.ts.
import type { ErrorCode } from "./error-codes.ts";

interface ErrorDetails {
  /** The field path (`spec.containers[0].name`), annotation key, file or parameter that has the fault. */
  readonly path?: string;
  /** The line of the text at `path`, from 1. */
  readonly line?: number;
  /** The column of the line, from 1. */
  readonly column?: number;
  readonly cause?: unknown;
  /** What is wrong, without its place: the same for one fault that is found twice. */
  readonly reason?: string | undefined;
  /** The message and path for the log, if the error's own contain text that a pod's author wrote. */
  readonly logged?: { readonly message: string; readonly path?: string | undefined };
}

const NAME = "OutriggerError";

/**
 * The one class of errors that Outrigger throws on purpose. A message reads `Cannot render template "sidecar": helper
 * "foo" is not known (line 12)`: it is in sentence case without a full stop, names what failed and how to fix it, and
 * never contains secrets. A message that quotes the author's own text, for the author to see, has a `logged` form
 * without it.
 */
export class OutriggerError extends Error {
  /** By the name: a bundle in several files has this class in each, and a program may have two copies of this package. */
  static override [Symbol.hasInstance](value: unknown): value is OutriggerError {
    return value instanceof Error && value.name === NAME;
  }

  override readonly name = NAME;
  readonly code: ErrorCode;
  readonly path: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly reason: string | undefined;
  readonly logged: ErrorDetails["logged"] | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.path = details.path;
    this.line = details.line;
    this.column = details.column;
    this.reason = details.reason;
    this.logged = details.logged;
  }
}

/**
 * Whether the error is an OutriggerError, and of one of these codes where any are named.
 *
 * @example
 * ```ts
 * isOwnError(new TypeError("…")) // => false
 * ```
 */
export function isOwnError(error: unknown, ...codes: readonly ErrorCode[]): error is OutriggerError {
  return error instanceof OutriggerError && (codes.length === 0 || codes.includes(error.code));
}

/**
 * The error as an OutriggerError, of one of these codes where any are named.
 * @throws anything else as it is
 */
export function ownError(error: unknown, ...codes: readonly ErrorCode[]): OutriggerError {
  if (!isOwnError(error, ...codes)) throw error;
  return error;
}

/**
 * What is read; undefined where that throws an OutriggerError, of what is damaged or not there.
 *
 * @param report takes the error
 * @throws anything else as it is
 */
export function unlessOwnError<Value>(read: () => Value, report: (error: OutriggerError) => void = () => {}) {
  try {
    return read();
  } catch (error) {
    report(ownError(error));
    return undefined;
  }
}

/** The error of a command line or a setting that is wrong: the user has to correct it. */
export function usageError(message: string, details?: ErrorDetails): OutriggerError {
  return new OutriggerError("usage", message, details);
}
