// The form of the message tables: what a protobuf message may hold, as short texts that are read on first use.
// Knows no message by name.
import { memoizeObject } from "@outrigger/base";

/**
 * Messages and enums by short name (`mesh.ProxyConfig`).
 *
 * A field is `name type`, the type followed by `[]` for a list or `{string}` for a map with string keys; then
 * `oneof=group` for a member of a oneof and `json=name` where the JSON name is not the usual one.
 */
export interface ProtoSchema {
  readonly messages: Readonly<Record<string, readonly string[]>>;
  readonly enums: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface ProtoField {
  /** JSON name: `proxyMetadata`. */
  readonly name: string;
  /** Name in the .proto file: `proxy_metadata`. Both are accepted. */
  readonly protoName: string;
  readonly type: string;
  readonly shape: "one" | "list" | "map";
  /** JSON names of the other members of its oneof: setting one clears the others. */
  readonly rivals: readonly string[];
  /** True for a oneof's member: it may be there with its zero value. */
  readonly hasPresence: boolean;
}

/** The fields of a message in the order of their declaration. */
export function fieldsOf(schema: ProtoSchema, message: string): readonly ProtoField[] {
  return readFields(schema.messages[message] ?? NO_FIELDS);
}

const NO_FIELDS: readonly string[] = [];

const readFields = memoizeObject((texts: readonly string[]): readonly ProtoField[] => {
  const fields = texts.map(readField);
  return fields.map(({ oneof, ...field }) => {
    const group = fields.filter((other) => oneof !== undefined && other.oneof === oneof && other.name !== field.name);
    return { ...field, rivals: group.map((other) => other.name), hasPresence: oneof !== undefined };
  });
});

function readField(text: string): Omit<ProtoField, "rivals" | "hasPresence"> & { readonly oneof: string | undefined } {
  const [protoName = "", type = "", ...rest] = text.split(" ");
  const marks = new Map(rest.map((word) => word.split("=", 2) as [string, string]));
  // protoc's rule: underscores go, and the letter after each becomes upper case.
  const usual = protoName.replace(/_+([a-zA-Z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
  return {
    name: marks.get("json") ?? usual,
    protoName,
    type: type.replace(/\[\]$|\{string\}$/, ""),
    shape: type.endsWith("[]") ? "list" : type.endsWith("}") ? "map" : "one",
    oneof: marks.get("oneof"),
  };
}
