// That work which nobody waits for leaves calls to others: all of an account and Region share one budget.

import type { ParameterStore } from "@outrigger/aws";
import { defined } from "@outrigger/base";

export interface Pace {
  /** Milliseconds from the beginning of one call to that of the next, at least. */
  readonly interval: number;
  readonly now: () => Date;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** The store, whose calls keep a distance from each other. */
export function pacedStore(store: ParameterStore, { interval, now, sleep }: Pace): ParameterStore {
  let next = 0;
  const paced =
    <Input extends readonly unknown[], Answer>(call: (...input: Input) => Promise<Answer>) =>
    async (...input: Input): Promise<Answer> => {
      const time = now().getTime();
      // A clock that was set back does not hold up calls for longer than the interval.
      const wait = Math.min(interval, next - time);
      next = Math.max(time, time + wait) + interval;
      if (wait > 0) await sleep(wait);
      return call(...input);
    };
  return {
    // S3 has a budget of its own.
    ...defined({ objects: store.objects }),
    getParameters: paced(store.getParameters),
    getParametersByPath: paced(store.getParametersByPath),
    putParameter: paced(store.putParameter),
    deleteParameters: paced(store.deleteParameters),
  };
}
