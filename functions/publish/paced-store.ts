// How calls that nobody waits for leave the budget of an account to people.
import type { ParameterStore } from "@outrigger/aws";
import { decorate } from "@outrigger/base";
import type { PublisherDependencies } from "@outrigger/publisher";

/**
 * The store, whose calls keep a distance from each other: an account and Region have one budget. S3 has a budget of its own.
 *
 * @param interval milliseconds from the beginning of one call to that of the next, at least
 */
export function pacedStore(
  store: ParameterStore,
  interval: number,
  { now, sleep }: Pick<PublisherDependencies, "now" | "sleep">,
): ParameterStore {
  let next = 0;
  return decorate(store, async (_method, args, call) => {
    const time = now().getTime();
    // A clock that was set back does not hold up calls for longer than the interval.
    const wait = Math.min(interval, next - time);
    next = Math.max(time, time + wait) + interval;
    if (wait > 0) await sleep(wait);
    return call(...args);
  });
}
