// A store that fails one call of a process: before the call, or after it has taken effect, so that only the answer is lost. Or the
// process is frozen there, while others continue, and then continues itself.

import type { ParameterStore } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";

/** What happens to the call: the process stops or is frozen before it, or after it, or continues without its answer. */
export type Interruption =
  | "stopped before"
  | "stopped after"
  | "answer lost"
  | "frozen before"
  | "frozen after"
  | "late and last";

/** Where a call went. */
export type Called = "parameters" | "bucket";

/** The message of the error that a stopped process ends with. */
const STOPPED = "stopped";

/**
 * @param at the number of the call, from 0; past the last one nothing is interrupted
 * @param frozen what others do while the process is frozen
 */
export function interruptedStore(
  store: ParameterStore,
  at: number,
  how: Interruption,
  frozen: () => Promise<unknown> = async () => undefined,
) {
  const calls: Called[] = [];
  const guarded =
    <Input extends readonly unknown[], Answer>(call: (...input: Input) => Promise<Answer>, of: Called = "parameters") =>
    async (...input: Input) => {
      const isHit = calls.push(of) - 1 === at;
      if (isHit && how === "stopped before") throw new Error(STOPPED);
      if (isHit && (how === "frozen before" || how === "late and last")) await frozen();
      const answer = await call(...input);
      if (isHit && how === "frozen after") await frozen();
      if (isHit && (how === "stopped after" || how === "late and last")) throw new Error(STOPPED);
      if (isHit && how === "answer lost") throw new OutriggerError("store-unavailable", "socket hang up");
      return answer;
    };
  const { objects } = store;
  const interrupted: ParameterStore = {
    ...(objects === undefined
      ? {}
      : {
          objects: {
            getObject: guarded(objects.getObject, "bucket"),
            putObject: guarded(objects.putObject, "bucket"),
            deleteObject: guarded(objects.deleteObject, "bucket"),
            listObjects: guarded(objects.listObjects, "bucket"),
          },
        }),
    getParameters: guarded(store.getParameters),
    getParametersByPath: guarded(store.getParametersByPath),
    putParameter: guarded(store.putParameter),
    deleteParameters: guarded(store.deleteParameters),
  };
  return { store: interrupted, calls: () => calls.length, called: (): readonly Called[] => calls };
}
