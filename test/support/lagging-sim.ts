// A Parameter Store in which every reading shows each parameter as it was at a moment of its own: the real one promises no more.
// Processes run at once on one clock, which advances to the next call's or timer's end.

import type { Parameter, ParameterStore } from "@outrigger/aws";
import { decorate, OutriggerError } from "@outrigger/base";
import { fakeObjectStore } from "@outrigger/fake-aws";

interface Written {
  readonly at: number;
  /** The parameter, or undefined if it was deleted. */
  readonly parameter: Parameter | undefined;
}

export interface LaggingSim {
  /** Milliseconds since 1970. */
  readonly time: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly store: ParameterStore;
  /** The value of a parameter, without lag. */
  readonly value: (name: string) => string | undefined;
  /** Runs processes until all have ended. */
  readonly together: (...processes: readonly Promise<unknown>[]) => Promise<void>;
}

export interface LagOptions {
  readonly random: () => number;
  /** Milliseconds by which a parameter's reading is behind, at most. */
  readonly lag: () => number;
  /** Milliseconds that a call takes, at most. */
  readonly latency: number;
  readonly onWrite: (name: string, value: string | undefined) => void;
}

/** A store that is empty. */
export function laggingSim({ random, lag, latency, onWrite }: LagOptions): LaggingSim {
  let time = Date.parse("2026-01-01T00:00:00Z");
  const table = new Map<string, Written[]>();
  const timers: { readonly at: number; readonly resolve: () => void }[] = [];
  const sleep = (milliseconds: number) =>
    new Promise<void>((resolve) => void timers.push({ at: time + Math.max(0, milliseconds), resolve }));
  const call = async <Answer>(perform: () => Answer): Promise<Answer> => {
    await sleep(random() * latency);
    const answer = perform();
    await sleep(random() * latency);
    return answer;
  };
  const seen = (name: string) => {
    const until = time - random() * lag();
    return table.get(name)?.findLast(({ at }) => at <= until)?.parameter;
  };
  const newest = (name: string) => table.get(name)?.at(-1)?.parameter;
  const versions = new Map<string, number>();
  const put = (name: string, parameter: Parameter | undefined) => {
    table.set(name, [...(table.get(name) ?? []), { at: time, parameter }]);
    onWrite(name, parameter?.value);
  };
  const bucket = fakeObjectStore({ now: () => time });
  const store: ParameterStore = {
    // S3 is consistent.
    objects: decorate(bucket, (_method, args, perform) => call(() => perform(...args)).then((answer) => answer)),
    getParameters: (names) => call(() => names.flatMap((name) => seen(name) ?? [])),
    getParametersByPath: ({ path }) =>
      call(() => {
        const names = [...table.keys()].filter((name) => name.startsWith(`${path}/`)).sort();
        return { parameters: names.flatMap((name) => seen(name) ?? []), next: undefined };
      }),
    putParameter: ({ name, value, overwrite }) =>
      call(() => {
        const there = newest(name);
        if (there !== undefined && !overwrite) throw new OutriggerError("parameter-exists", `There is ${name} already`);
        const version = there === undefined ? 1 : (versions.get(name) ?? 0) + 1;
        versions.set(name, version);
        put(name, { name, value, type: "String", version, lastModified: time });
        return version;
      }),
    deleteParameters: (names) =>
      call(() => {
        for (const name of names) if (newest(name) !== undefined) put(name, undefined);
      }),
  };
  const together = async (...processes: readonly Promise<unknown>[]) => {
    const state = { left: processes.length };
    const ended = () => void state.left--;
    for (const process of processes) process.then(ended, ended);
    for (;;) {
      await new Promise(setImmediate);
      if (state.left === 0) break;
      const [first] = timers.sort((a, b) => a.at - b.at);
      if (first === undefined) continue;
      timers.shift();
      time = Math.max(time, first.at);
      first.resolve();
    }
    await Promise.all(processes);
  };
  return { time: () => time, sleep, store, value: (name) => newest(name)?.value, together };
}
