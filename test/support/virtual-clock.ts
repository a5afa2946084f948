// A clock that advances on request: for tests and simulations of code that waits, without waiting.
import type { serveStore } from "@outrigger/serving";

/** Time as serving takes it. */
export type Clock = NonNullable<Parameters<typeof serveStore>[0]["clock"]>;

export interface VirtualClock extends Clock {
  /** Lets time pass: what is due is called in its order, and what it started is done before the next. */
  readonly advance: (milliseconds: number) => Promise<void>;
  /** Time passes and nothing is called, as in a process that is stopped. */
  readonly jump: (milliseconds: number) => void;
  /** Advances until the promise is done. */
  readonly settle: <Value>(promise: Promise<Value>) => Promise<Value>;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

export function virtualClock(start = 1_700_000_000_000): VirtualClock {
  let now = start;
  let order = 0;
  /** The timers by their time, those of the same time in the order in which they were set. */
  const timers: Timer[] = [];
  const placeOf = (timer: Timer) => {
    let low = 0;
    let high = timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = timers[middle] as Timer;
      if (other.at < timer.at || (other.at === timer.at && other.order < timer.order)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const remove = (timer: Timer) => {
    const place = placeOf(timer);
    if (timers[place] === timer) timers.splice(place, 1);
  };
  const next = () => timers[0];
  const runNext = async (timer: Timer) => {
    remove(timer);
    now = Math.max(now, timer.at);
    timer.callback();
    await idle();
  };
  return {
    now: () => now,
    after: (milliseconds, callback) => {
      const timer = { at: now + milliseconds, order: order++, callback };
      timers.splice(placeOf(timer), 0, timer);
      return () => remove(timer);
    },
    advance: async (milliseconds) => {
      const end = now + milliseconds;
      await idle();
      for (let timer = next(); timer !== undefined && timer.at <= end; timer = next()) await runNext(timer);
      now = end;
    },
    jump: (milliseconds) => {
      now += milliseconds;
    },
    settle: async (promise) => {
      let done = false;
      const end = () => {
        done = true;
      };
      promise.then(end, end);
      await idle();
      for (let timer = next(); !done; timer = next()) {
        if (timer === undefined) throw new Error("nothing is left to wait for, and it is not done");
        await runNext(timer);
      }
      return promise;
    },
  };
}

/** Everything that waits for nothing but promises is done. */
function idle(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
