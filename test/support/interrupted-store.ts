// A store that fails one call of a process: before the call, or after it has taken effect, so that only the answer is lost. Or the
// process is frozen there, while others continue, and then continues itself.

import type { ParameterStore } from "@outrigger/aws";
import { decorate, OutriggerError } from "@outrigger/base";

/** The fate of a call: the process stops or is frozen before it, or after it, or continues without its answer. */
export type Interruption =
  | "stopped before"
  | "stopped after"
  | "answer lost"
  | "frozen before"
  | "frozen after"
  | "late and last";

/** A call: the service that it went to, and whether it changes nothing there. */
export interface Called {
  readonly service: "parameters" | "bucket";
  readonly isReading: boolean;
}

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
  const interrupt =
    (service: Called["service"]): Parameters<typeof decorate>[1] =>
    async (method, args, call) => {
      const isHit = calls.push({ service, isReading: /^(?:get|list)/.test(method) }) - 1 === at;
      if (isHit && how === "stopped before") throw new Error(STOPPED);
      if (isHit && (how === "frozen before" || how === "late and last")) await frozen();
      const answer = await call(...args);
      if (isHit && how === "frozen after") await frozen();
      if (isHit && (how === "stopped after" || how === "late and last")) throw new Error(STOPPED);
      if (isHit && how === "answer lost") throw new OutriggerError("store-unavailable", "socket hang up");
      return answer;
    };
  const { objects, getParameters, getParametersByPath, putParameter, deleteParameters } = store;
  const parameters = { getParameters, getParametersByPath, putParameter, deleteParameters };
  const interrupted: ParameterStore = decorate(
    { ...parameters, objects: decorate(objects, interrupt("bucket")) },
    interrupt("parameters"),
  );
  return { store: interrupted, calls: () => calls.length, called: (): readonly Called[] => calls };
}
