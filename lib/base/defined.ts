// Leaves out fields that are undefined, so that an optional field is absent and not present without a value.

/** The fields of `T`: those that may be undefined are optional, and never undefined when present. */
export type Defined<T> = {
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
  for (const key in fields) if (fields[key] === undefined) return withoutUndefined(fields);
  return fields as Defined<T>;
}

function withoutUndefined<T extends object>(fields: T): Defined<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as Defined<T>;
}
