// Runs checks one after another and collects their errors.

import { type OutriggerError, ownError } from "@outrigger/base";

/**
 * Returns what is read, or undefined if reading fails with an OutriggerError, which is added to `errors`. Any other
 * error is a fault of the code and thrown.
 */
export function attemptTo<T>(read: () => T, errors: OutriggerError[]): T | undefined {
  try {
    return read();
  } catch (error) {
    errors.push(ownError(error));
    return undefined;
  }
}
