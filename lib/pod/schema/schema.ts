// The Pod schema that merge, diff and check walk: each type's fields, parsed from the generated table on first use. Knows the
// format of the table only.
import { POD_DEFINITIONS } from "../generated/pod-schema.ts";

export type TypeKind =
  | "string"
  | "time"
  | "int32"
  | "int64"
  | "boolean"
  | "quantity"
  | "intOrString"
  /** Any JSON object, without a schema of its contents. */
  | "opaque"
  | "object"
  | "list"
  | "map";

/** The schema of a type: walk it from `POD_TYPE` by fields and elements. */
export interface TypeSchema {
  readonly kind: TypeKind;
  /** The type of the elements of a list or map. */
  readonly element: TypeSchema | undefined;
  /** Fields of an object by name; empty for everything else. */
  readonly fields: ReadonlyMap<string, FieldSchema>;
  /** Fields that Kubernetes always writes, with their zero value if they are not set. */
  readonly required: readonly string[];
}

export interface FieldSchema {
  readonly type: TypeSchema;
  /** Whether strategic merge merges the list that the field holds; otherwise an overlay's list replaces it. */
  readonly isMerged: boolean;
  /** The field that identifies the items of a merged list; undefined if the items are scalars. */
  readonly mergeKey: string | undefined;
  /** Whether kubectl's patches list the keys to keep (`$retainKeys`), because the field's items are unions. */
  readonly retainsKeys: boolean;
}

const SCALARS: Readonly<Record<string, TypeKind>> = {
  s: "string",
  t: "time",
  i: "int32",
  l: "int64",
  b: "boolean",
  q: "quantity",
  x: "intOrString",
  o: "opaque",
};

/**
 * Reads a table of definitions: entries `field=type`, separated by blanks. A type is a letter for a scalar, the name of a
 * definition, `[type` for a list or `{type` for a map. A suffix `@key` means a merged list, `~` the retainKeys strategy and
 * `!` a required field.
 *
 * @returns the type of that name
 */
export function readSchema(definitions: Readonly<Record<string, string>>, name: string): TypeSchema {
  const types = new Map<string, TypeSchema>();
  return readType(name);

  function readType(text: string): TypeSchema {
    const known = types.get(text);
    if (known !== undefined) return known;
    const type = makeType(text);
    types.set(text, type);
    return type;
  }

  function makeType(text: string): TypeSchema {
    const scalar = SCALARS[text];
    if (scalar !== undefined) return { kind: scalar, element: undefined, fields: NO_FIELDS, required: [] };
    if (text[0] === "[") return { kind: "list", element: readType(text.slice(1)), fields: NO_FIELDS, required: [] };
    if (text[0] === "{") return { kind: "map", element: readType(text.slice(1)), fields: NO_FIELDS, required: [] };
    return makeObject(definitions[text] ?? "", readType);
  }
}

const NO_FIELDS: ReadonlyMap<string, FieldSchema> = new Map();

/**
 * Makes the type of an object. Its fields are read when they are needed, so that a cold start parses only the
 * definitions of its first pod.
 */
function makeObject(definition: string, readType: (text: string) => TypeSchema): TypeSchema {
  const entries = definition.split(" ");
  let fields: ReadonlyMap<string, FieldSchema> | undefined;
  return {
    kind: "object",
    element: undefined,
    get fields() {
      fields ??= new Map(entries.map((entry) => readField(entry, readType)));
      return fields;
    },
    required: entries.filter((entry) => entry.endsWith("!")).map((entry) => entry.slice(0, entry.indexOf("="))),
  };
}

const ENTRY = /^([^=]+)=([^@~!]+)(@[^~!]*)?(~)?!?$/;

function readField(entry: string, readType: (text: string) => TypeSchema): [string, FieldSchema] {
  const [, name = "", type = "", merge, retain] = ENTRY.exec(entry) ?? [];
  const field: FieldSchema = {
    type: readType(type),
    isMerged: merge !== undefined,
    mergeKey: merge?.slice(1) || undefined,
    retainsKeys: retain !== undefined,
  };
  return [name, field];
}

/** The Pod's own schema. */
export const POD_TYPE: TypeSchema = readSchema(POD_DEFINITIONS, "Pod");
