// How a path reads a value: own properties only, so that no name in a template or in a pod leads to a prototype.

const { hasOwn } = Object;

/** Every name that some built-in prototype answers to: for these alone is it worth asking whether they are own. */
const INHERITED_NAMES: ReadonlySet<string> = new Set(
  [Object.prototype, Array.prototype, String.prototype, Number.prototype, Boolean.prototype].flatMap((prototype) =>
    Object.getOwnPropertyNames(prototype),
  ),
);

/** The own property of an object, list or string; undefined where there is none or nothing to have it. */
export function ownProperty(value: unknown, name: string): unknown {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "object")
    return typeof value === "string" && hasOwn(value as object & string, name) ? (value as never)[name] : undefined;
  return hasOwn(value, name) ? (value as never)[name] : undefined;
}

/** `ownProperty` with the name known beforehand: most names are on no prototype and need no check. */
export function ownPropertyReader(name: string): (value: unknown) => unknown {
  if (INHERITED_NAMES.has(name)) return (value) => ownProperty(value, name);
  return (value) => (value === null || value === undefined ? undefined : (value as never)[name]);
}
