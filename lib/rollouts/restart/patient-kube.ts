// The calls of a restart, which continues for hours: one that is not answered is made again for minutes. Every call asks for a state, and
// names the version that it changes: made twice, it has its effect once.
import { decorate, isOwnError, objectOf } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";

const LONGEST_PAUSE = 30_000;
const PATIENCE = 300_000;

const LISTS: ReadonlySet<string> = new Set(["list", "pods"]);
/** What reads a state or asks for one. Questions, dry runs and logs are answered now or not at all. */
const STATES: ReadonlySet<string> = new Set(["get", "apply", "replace", "mergePatch", "remove"]);

/** @param report takes a line for people */
export function patientKube(
  kube: KubeClient,
  sleep: (milliseconds: number) => Promise<void>,
  report: (line: string) => void,
): KubeClient {
  /** Throws what no patience helps with. */
  const waiter = () => {
    let waited = 0;
    return async (error: unknown) => {
      if (!isOwnError(error, "cluster-unreachable") || waited >= PATIENCE) throw error;
      if (waited === 0) report(`${error.message}: trying again for ${PATIENCE / 60_000} minutes`);
      const pause = Math.min(Math.max(waited, 1000), LONGEST_PAUSE);
      waited += pause;
      await sleep(pause);
    };
  };
  const again = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    for (const wait = waiter(); ; ) {
      try {
        return await call();
      } catch (error) {
        await wait(error);
      }
    }
  };
  async function* listAgain<Item>(list: () => AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
    const seen = new Set<unknown>();
    for (const wait = waiter(); ; ) {
      try {
        for await (const item of list()) {
          const { uid } = objectOf(objectOf(item)["metadata"]);
          if (uid === undefined || !seen.has(uid)) yield item;
          if (uid !== undefined) seen.add(uid);
        }
        return;
      } catch (error) {
        await wait(error);
      }
    }
  }
  return decorate(kube, (method, args, call) => {
    if (LISTS.has(method)) return listAgain(() => call(...args) as AsyncIterable<unknown>);
    return STATES.has(method) ? again(async () => call(...args)) : call(...args);
  });
}
