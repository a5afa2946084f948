// One way to put something around the calls of a client: a decorator names what it does, not each method.

/** What is done around a call: `call` makes it, with the given arguments or with others. */
export type Around = (
  method: string,
  args: readonly unknown[],
  call: (...args: readonly unknown[]) => unknown,
) => unknown;

/**
 * The same object, whose methods are called through `around`. What is no function is read as it is.
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
