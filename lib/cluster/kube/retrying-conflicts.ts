// Trying a change of an object again when another has changed the object between the read and the write.
import { OutriggerError } from "@outrigger/base";

const TRIES = 6;

/** @param change reads the object and writes it, each time it is called */
export async function retryingConflicts<Result>(change: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await change();
    } catch (error) {
      const isConflict = error instanceof OutriggerError && error.code === "cluster-conflict";
      if (!isConflict || attempt === TRIES) throw error;
    }
  }
}
