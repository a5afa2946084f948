// Reads a JSON object that another program wrote: its fields are checked before anything is read from it, and the error
// names the file, the field and what to do.
import { isObject } from "@outrigger/base";

export type Kind = "text" | "number" | "boolean" | "list" | "object";

/** Every field that the caller reads, and its kind. A field that may be missing is not listed. */
type Kinds<Fields> = { readonly [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Kind };

export const IS_KIND: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  list: Array.isArray,
  object: isObject,
};

/**
 * The object in a JSON text. Fields within fields are for the caller to check.
 *
 * @param source what was read and how to make it again, for the error: `dist/metafile.json (npm run build)`
 */
export function readRecord<Fields extends object>(text: string, source: string, kinds: Kinds<Fields>): Fields {
  const value = parse(text, source);
  assertFields(value, source, kinds);
  return value;
}

function assertFields<Fields extends object>(
  value: unknown,
  source: string,
  kinds: Kinds<Fields>,
): asserts value is Fields {
  if (!isObject(value)) throw new Error(`Cannot read ${source}: it is not a JSON object`);
  for (const [field, kind] of Object.entries<Kind>(kinds)) {
    if (!IS_KIND[kind](value[field])) throw new Error(`Cannot read ${source}: ${field} must be ${article(kind)}`);
  }
}

function parse(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`Cannot read ${source}: it is not JSON`, { cause });
  }
}

export function article(kind: Kind): string {
  return `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;
}
