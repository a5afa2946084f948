// What is done around calls: one way to put something around those of a client, and the one loop for reads that lag behind
// writes.

/** A function that is run around a call: `call` makes the call, with the given arguments or with others. */
export type Around = (
  method: string,
  args: readonly unknown[],
  call: (...args: readonly unknown[]) => unknown,
) => unknown;

/**
 * Returns the object with its methods called through `around`. A property that is not a function is read as it is.
 *
 * @example
 * ```ts
 * decorate({ add: (a, b) => a + b }, (_method, args, call) => call(...args, 3)).add(1) // => 4
 * ```
 */
export function decorate<Client extends object>(client: Client, around: Around): Client {
  return new Proxy(client, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== "function" || typeof property === "symbol") return value;
      return (...args: readonly unknown[]) => around(property, args, (...sent) => Reflect.apply(value, target, sent));
    },
  });
}

export interface Patience {
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** Milliseconds between two reads. */
  readonly pause: number;
  readonly tries: number;
}

/** Returns the first value that is good, or whatever the last try read. */
export async function readUntil<Read>(
  read: () => Promise<Read>,
  isGood: (value: Read) => boolean,
  { sleep, pause, tries }: Patience,
): Promise<Read> {
  for (let left = tries - 1; ; left--) {
    const value = await read();
    if (left <= 0 || isGood(value)) return value;
    await sleep(pause);
  }
}
