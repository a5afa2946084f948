// The one guard between an error that has a code and one that is a bug: a bug is thrown on, never answered.
import { type ErrorCode, OutriggerError } from "./errors.ts";

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
