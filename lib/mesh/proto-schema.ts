// The form of the message tables: what a protobuf message may hold, as short texts that are read on first use.
// Knows no message by name.

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

/** A field, read from its text. */
export interface ProtoField {
  /** JSON name: `proxyMetadata`. */
  readonly name: string;
  /** Name in the .proto file: `proxy_metadata`. Both are accepted. */
  readonly protoName: string;
  readonly type: string;
  readonly shape: "one" | "list" | "map";
  readonly oneof: string | undefined;
}

const fieldsOfMessages = new WeakMap<ProtoSchema, Map<string, readonly ProtoField[]>>();

/** The fields of a message in the order of their declaration; undefined where the schema has no such message. */
export function fieldsOf(schema: ProtoSchema, message: string): readonly ProtoField[] | undefined {
  const known = messagesOf(schema);
  const fields = known.get(message);
  if (fields !== undefined) return fields;
  const texts = schema.messages[message];
  if (texts === undefined) return undefined;
  const read = texts.map(readField);
  known.set(message, read);
  return read;
}

function messagesOf(schema: ProtoSchema): Map<string, readonly ProtoField[]> {
  const known = fieldsOfMessages.get(schema) ?? new Map<string, readonly ProtoField[]>();
  fieldsOfMessages.set(schema, known);
  return known;
}

function readField(text: string): ProtoField {
  const [protoName = "", type = "", ...rest] = text.split(" ");
  const marks = new Map(rest.map((word) => word.split("=", 2) as [string, string]));
  return {
    name: marks.get("json") ?? jsonName(protoName),
    protoName,
    type: type.replace(/\[\]$|\{string\}$/, ""),
    shape: type.endsWith("[]") ? "list" : type.endsWith("}") ? "map" : "one",
    oneof: marks.get("oneof"),
  };
}

/** protoc's rule: underscores go, and the letter after each becomes upper case. */
function jsonName(protoName: string): string {
  return protoName.replace(/_+([a-zA-Z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
}
