// Going on after an error: an examination finds everything that is wrong, and not only the first of it.
import { OutriggerError } from "@outrigger/base";

/** What is read, or undefined where it cannot be: then its error is added. Any other error is a fault of the code and thrown. */
export function attemptTo<T>(read: () => T, errors: OutriggerError[]): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    errors.push(error);
    return undefined;
  }
}
