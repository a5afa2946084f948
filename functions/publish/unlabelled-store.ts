// That a label keeps back no write: Parameter Store keeps 100 versions of a parameter and refuses another one where the
// oldest has a label. For parameters that only the publisher writes: what people wrote keeps its labels.

import type { ParameterStore } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";

/** Takes the labels off the oldest version of a parameter, and says which they were: `"keep" off version 7`. */
export type TakeOffLabels = (name: string) => Promise<string>;

/** The store, whose writes take a label that blocks them off first. Where that is not allowed, they are refused as before. */
export function unlabelledStore(
  store: ParameterStore,
  takeOff: TakeOffLabels,
  report: (message: string) => void,
): ParameterStore {
  return {
    ...store,
    async putParameter(write, options) {
      try {
        return await store.putParameter(write, options);
      } catch (error) {
        if (!isBlocked(error)) throw error;
        const taken = await takeOff(write.name).catch(() => {
          throw error;
        });
        report(`Took the label ${taken} of ${write.name}: it was the oldest of 100 versions, and blocked the next one`);
        return store.putParameter(write, options);
      }
    },
  };
}

function isBlocked(error: unknown): boolean {
  const cause = error instanceof OutriggerError ? error.cause : undefined;
  return cause instanceof Error && cause.name === "ParameterMaxVersionLimitExceeded";
}
