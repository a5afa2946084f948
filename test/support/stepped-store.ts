// A Parameter Store in which every call waits for its turn, so that a test decides the order in which several processes'
// calls take effect. As small as versions and pages allow: its rules are those of lib/fake-aws, which is too slow for
// millions of steps.

import type { Parameter, ParameterStore } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";

/** The values that are stored, and the time of the last write. */
export interface Shelf {
  readonly parameters: Map<string, Parameter>;
  /** The versions that a test reads, by `<name>:<version>`. */
  readonly versions?: Map<string, Parameter>;
  readonly objects: Map<string, { readonly text: string; readonly at: number }>;
  time: number;
}

/** A failing call of either store: it takes no effect, or takes effect without an answer. */
export type Fault = "refused" | "lost";

/** A process: its calls come one after the other, and it is stopped by never letting the next one through. */
export interface Process {
  /** The store as the process sees it. */
  readonly store: ParameterStore;
  /** Lets the call that waits take effect, or fail. */
  readonly step: (fault?: Fault) => Promise<void>;
  /** The number of its calls that have failed. */
  readonly faults: () => number;
  readonly waits: () => boolean;
  /** The writes that have taken effect, in their order. */
  readonly writes: () => readonly Write[];
}

export interface Write {
  readonly name: string;
  /** The value, or undefined if the parameter was deleted. */
  readonly value: string | undefined;
  /** The value before the write; undefined where the parameter did not exist. */
  readonly before: string | undefined;
}

const PAGE = 2;

/** A process before a shelf. `onWrite` is called after each of its writes. */
export function startProcess(shelf: Shelf, onWrite: (write: Write) => void = () => {}): Process {
  let waiting: ((fault?: Fault) => void) | undefined;
  let faults = 0;
  const writes: Write[] = [];
  const turn = <Answer>(perform: () => Answer) =>
    new Promise<Answer>((resolve, reject) => {
      waiting = (fault) => {
        waiting = undefined;
        try {
          const answer = fault === "refused" ? undefined : perform();
          if (fault === undefined) return resolve(answer as Answer);
          faults += 1;
          reject(new OutriggerError("store-unavailable", `The call was ${fault}`));
        } catch (error) {
          reject(error);
        }
      };
    });
  const written = (write: Write) => {
    writes.push(write);
    onWrite(write);
  };
  const listed = (prefix: string) => [...shelf.objects].filter(([key]) => key.startsWith(prefix));
  const store: ParameterStore = {
    objects: {
      getObject: (key) =>
        turn(() => {
          const text = shelf.objects.get(key)?.text;
          return text === undefined ? undefined : { text, tag: text };
        }),
      putObject: ({ key, text, replaces }) =>
        turn(() => {
          const there = shelf.objects.get(key)?.text ?? null;
          if (replaces !== undefined && replaces !== there) return false;
          shelf.objects.set(key, { text, at: ++shelf.time });
          return true;
        }),
      deleteObject: (key) => turn(() => void shelf.objects.delete(key)),
      listObjects: (prefix) => turn(() => listed(prefix).map(([key, { at }]) => ({ key, lastModified: at }))),
      emptyFolder: (prefix) =>
        turn(() => {
          for (const [key] of listed(prefix)) shelf.objects.delete(key);
        }),
    },
    getParameters: (names) =>
      turn(() => names.flatMap((name) => shelf.parameters.get(name) ?? shelf.versions?.get(name) ?? [])),
    getParametersByPath: ({ path, next = "" }) =>
      turn(() => {
        const names: string[] = [];
        const prefix = `${path}/`;
        for (const name of shelf.parameters.keys()) if (name.startsWith(prefix) && name > next) names.push(name);
        names.sort();
        const page = names.slice(0, PAGE);
        return {
          parameters: page.map((name) => shelf.parameters.get(name) as Parameter),
          next: names.length > PAGE ? page.at(-1) : undefined,
        };
      }),
    putParameter: ({ name, value, overwrite }) =>
      turn(() => {
        const there = shelf.parameters.get(name);
        if (there !== undefined && !overwrite) throw new OutriggerError("parameter-exists", `There is ${name} already`);
        const version = (there?.version ?? 0) + 1;
        const parameter: Parameter = { name, value, type: "String", version, lastModified: ++shelf.time };
        shelf.parameters.set(name, parameter);
        shelf.versions?.set(`${name}:${version}`, parameter);
        written({ name, value, before: there?.value });
        return version;
      }),
    deleteParameters: (names) =>
      turn(() => {
        for (const name of names) {
          const before = shelf.parameters.get(name)?.value;
          if (shelf.parameters.delete(name)) written({ name, value: undefined, before });
        }
      }),
  };
  return {
    store,
    waits: () => waiting !== undefined,
    writes: () => writes,
    step: async (fault) => {
      waiting?.(fault);
    },
    faults: () => faults,
  };
}
