// Properties that a value itself has: a path of a template never reaches a prototype.

const { hasOwn } = Object;

/** Every property name of a built-in prototype: only these need the check for an own property. */
const INHERITED_NAMES: ReadonlySet<string> = new Set(
  [Object.prototype, Array.prototype, String.prototype, Number.prototype, Boolean.prototype].flatMap((prototype) =>
    Object.getOwnPropertyNames(prototype),
  ),
);

/**
 * The own property of an object, list or string; undefined if it has none or is none of these.
 *
 * @example
 * ```ts
 * ownProperty({ app: "web" }, "app") // => "web"
 * ownProperty({}, "constructor") // => undefined
 * ownProperty(["a"], "length") // => 1
 * ```
 */
export function ownProperty(value: unknown, name: string): unknown {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "object")
    return typeof value === "string" && hasOwn(value as object & string, name) ? (value as never)[name] : undefined;
  return hasOwn(value, name) ? (value as never)[name] : undefined;
}

/** `ownProperty` for a fixed name: most names are on no prototype and need no check. */
export function ownPropertyReader(name: string): (value: unknown) => unknown {
  if (INHERITED_NAMES.has(name)) return (value) => ownProperty(value, name);
  return (value) => (value === null || value === undefined ? undefined : (value as never)[name]);
}
