// How the publish function writes past a label that blocks a parameter.
import type { OutsideCall, ParameterStore } from "@outrigger/aws";
import { isOwnError } from "@outrigger/base";

/**
 * The store, whose writes take a label off first that blocks them: Parameter Store keeps 100 versions and refuses another one where
 * the oldest has a label. For parameters that only the publisher writes. Where that is not allowed, they are refused as before.
 *
 * @param takeOff takes the labels off the oldest version of a parameter, and says which they were
 */
export function unlabelledStore(
  store: ParameterStore,
  takeOff: OutsideCall<string, string>,
  report: (message: string) => void,
): ParameterStore {
  return {
    ...store,
    async putParameter(write, options) {
      try {
        return await store.putParameter(write, options);
      } catch (error) {
        const cause = isOwnError(error) ? error.cause : undefined;
        if (!(cause instanceof Error) || cause.name !== "ParameterMaxVersionLimitExceeded") throw error;
        const { name } = write;
        const taken = await takeOff(name, options).catch(() => {
          throw error;
        });
        report(`Took the label ${taken} of ${name}: it was the oldest of 100 versions, and blocked the next one`);
        return store.putParameter(write, options);
      }
    },
  };
}
