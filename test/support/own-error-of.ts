import { OutriggerError } from "@outrigger/base";

/** The error of our own that a call must throw; any other goes on. */
export function ownErrorOf(run: () => unknown): OutriggerError {
  try {
    run();
  } catch (error) {
    if (error instanceof OutriggerError) return error;
    throw error;
  }
  throw new Error("expected an error");
}
