// Objects without the fields that are undefined.

/** The fields of `T`: those that may be undefined are optional, and never undefined when present. */
type Defined<T> = {
  [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key];
} & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

/**
 * The object without its undefined fields.
 *
 * @example
 * ```ts
 * defined({ name: "web", network: undefined }) // => { name: "web" }
 * ```
 */
export function defined<T extends object>(fields: T): Defined<T> {
  // Mostly, nothing is undefined.
  if (!Object.values(fields).includes(undefined)) return fields as Defined<T>;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
