// Protobuf, in which `kubectl create` sends what it makes of its options: the fields that they fill, and no others.
import { type JsonObject, type JsonValue, objectOf } from "@outrigger/base";

/** Number of a field → its name, and of what it is: text or a number where it is left out. */
interface Message {
  readonly [field: number]: readonly [name: string, of?: Message | undefined, many?: "list" | "map"];
}

const ENTRY: Message = { 1: ["key"], 2: ["value"] };
const METADATA: Message = { 1: ["name"], 3: ["namespace"], 11: ["labels", ENTRY, "map"] };
const PORT: Message = { 3: ["containerPort"] };
const CONTAINER: Message = { 1: ["name"], 2: ["image"], 3: ["command", undefined, "list"], 6: ["ports", PORT, "list"] };
const TEMPLATE: Message = { 1: ["metadata", METADATA], 2: ["spec", { 2: ["containers", CONTAINER, "list"] }] };
const DEPLOYMENT: Message = {
  1: ["replicas"],
  2: ["selector", { 1: ["matchLabels", ENTRY, "map"] }],
  3: ["template", TEMPLATE],
};
const KINDS: Readonly<Record<string, Message>> = {
  ConfigMap: { 1: ["metadata", METADATA], 2: ["data", ENTRY, "map"] },
  Deployment: { 1: ["metadata", METADATA], 2: ["spec", DEPLOYMENT] },
  Namespace: { 1: ["metadata", METADATA] },
};

/** Whether a content type is this one. */
export function isProtobuf(type: string): boolean {
  return type.endsWith("protobuf");
}

/** The object in a body; undefined for a kind that is not known here. */
export function readProtobuf(body: Uint8Array): JsonObject | undefined {
  // Four bytes say that it is Kubernetes' own: its type, and the object as bytes.
  const [, type, , object] = fieldsIn(body.subarray(4)).flat();
  const { kind, ...version } = read(type, { 1: ["apiVersion"], 2: ["kind"] });
  const message = KINDS[String(kind)];
  return message && { ...version, kind, ...read(object, message) };
}

type Value = Uint8Array | number | undefined;

function fieldsIn(bytes: Value): readonly (readonly [field: number, value: Value])[] {
  if (!(bytes instanceof Uint8Array)) return [];
  let at = 0;
  const varint = () => {
    let [value, factor] = [0, 1];
    for (let byte = 128; byte >= 128; factor *= 128) {
      byte = bytes[at++] ?? 0;
      value += (byte % 128) * factor;
    }
    return value;
  };
  const found: [number, Value][] = [];
  while (at < bytes.length) {
    const tag = varint();
    const number = varint();
    // Of the wire's types, these objects have two: a number, and so many bytes.
    found.push([tag >> 3, tag % 8 === 0 ? number : bytes.subarray(at, at + number)]);
    if (tag % 8 !== 0) at += number;
  }
  return found;
}

function read(bytes: Value, message: Message): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (const [field, value] of fieldsIn(bytes)) {
    const [name, of, many] = message[field] ?? [];
    // What is empty was not given.
    if (name === undefined || (value instanceof Uint8Array && value.length === 0)) continue;
    const one =
      of !== undefined ? read(value, of) : typeof value === "number" ? value : Buffer.from(value ?? []).toString();
    const { key, value: text = "" } = objectOf(one);
    if (many === "map") object[name] = { ...objectOf(object[name]), [String(key)]: text };
    else object[name] = many === "list" ? [...((object[name] ?? []) as readonly JsonValue[]), one] : one;
  }
  return object;
}
