// Runs checks one after another and collects their errors.

import { type OutriggerError, ownError } from "@outrigger/base";

/** What is read, or undefined where it cannot be: then its error is added. Any other error is a fault of the code and thrown. */
export function attemptTo<T>(read: () => T, errors: OutriggerError[]): T | undefined {
  try {
    return read();
  } catch (error) {
    errors.push(ownError(error));
    return undefined;
  }
}
