// Reads JSON values into protobuf messages by a table of names and types, and applies one message over another. Follows Go's
// older jsonpb package, which the reference uses: more lenient than protobuf's own JSON rules in some places, stricter in
// others. Knows no message by name.

import { entryOf, isObject, type JsonObject, type JsonValue, OutriggerError } from "@outrigger/base";
import { formatDuration, parseDuration } from "./duration.ts";
import { either } from "./either.ts";
import { proxyFieldRule } from "./field-rules.ts";
import { fieldsOf, type ProtoField, type ProtoSchema } from "./proto-schema.ts";
import { describeWrong } from "./value-rules.ts";

/** A message in protobuf's JSON form: JSON names, no zero values, durations as `90s`, enums by name. */
export type Message = JsonObject;

/** Fields that a text sets, in the order of their declaration; undefined for those that it sets to their zero value. */
export type Assignments = ReadonlyMap<ProtoField, JsonValue | undefined>;

/** Called with the path of every field that the schema does not have. */
export type OnUnknownField = (path: string) => void;

const WHOLE_NUMBER = /^ *-?(?:0|[1-9][0-9]{0,30}) *$/;
const NUMBER = /^ *-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)? *$/;
const NOT_FINITE: ReadonlySet<string> = new Set(["NaN", "Infinity", "-Infinity"]);
const MAX_NUMBER_LENGTH = 100;
const MAX_NAMES_SHOWN = 12;
const MAX_KEY_SHOWN = 60;

/**
 * Reads a value as a message.
 *
 * Both the JSON name and the .proto name of a field are read, the JSON name first; null leaves a field unset; numbers may
 * be strings; enums are names or numbers; of several members of a oneof, the one that is declared last counts; unknown
 * fields are ignored.
 *
 * @throws OutriggerError `mesh-invalid`, with the path of the field
 */
export function readAssignments(
  schema: ProtoSchema,
  message: string,
  value: JsonValue,
  path: string,
  onUnknown?: OnUnknownField,
): Assignments {
  const assignments = new Map<ProtoField, JsonValue | undefined>();
  if (value === null) return assignments;
  if (!isObject(value)) throw invalid(path, "must be a mapping of fields");
  const reading = { schema, onUnknown };
  const fields = fieldsOf(schema, message);
  for (const field of fields) {
    const named = value[field.name];
    const raw = named === undefined ? value[field.protoName] : named;
    if (raw === undefined || raw === null) continue;
    const read = readField(reading, field, raw, joined(path, field.name));
    for (const other of assignments.keys()) if (field.rivals.includes(other.name)) assignments.delete(other);
    assignments.set(field, read);
  }
  if (onUnknown !== undefined) {
    const known = new Set(fields.flatMap((field) => [field.name, field.protoName]));
    for (const key of Object.keys(value)) if (!known.has(key)) onUnknown(joined(path, shown(key)));
  }
  return assignments;
}

/** The base with every assignment made: a zero value clears its field, a oneof's member clears the others. */
export function assign(base: Message, assignments: Assignments): Message {
  if (assignments.size === 0) return base;
  // Names of fields come from the table, never from the text, so they can be assigned. Undefined equals absent.
  const message: Record<string, JsonValue | undefined> = { ...base };
  for (const [field, value] of assignments) {
    for (const rival of field.rivals) if (message[rival] !== undefined) message[rival] = undefined;
    if (value !== undefined || message[field.name] !== undefined) message[field.name] = value;
  }
  return message;
}

/** The schema to read values by, and the listener for fields that it does not have. */
interface Reading {
  readonly schema: ProtoSchema;
  readonly onUnknown: OnUnknownField | undefined;
}

function readField(reading: Reading, field: ProtoField, value: JsonValue, path: string): JsonValue | undefined {
  if (field.shape === "list") {
    if (!Array.isArray(value)) throw invalid(path, "must be a list");
    if (value.length === 0) return undefined;
    return value.map((item: JsonValue, index) => readItem(reading, field.type, item, `${path}[${index}]`));
  }
  if (field.shape === "map") {
    if (!isObject(value)) throw invalid(path, "must be a mapping");
    const keys = Object.keys(value).sort();
    if (keys.length === 0) return undefined;
    return Object.fromEntries(
      keys.map((key) => [key, readItem(reading, field.type, value[key] ?? null, joined(path, shown(key)))]),
    );
  }
  const read = readSingle(reading, field.type, value, path);
  if (read === undefined && field.hasPresence) return zeroOf(reading, field.type);
  return read;
}

/** An item of a list or an entry of a map: always present, so zero values are kept, and null is a zero value. */
function readItem(reading: Reading, type: string, value: JsonValue, path: string): JsonValue {
  if (value === null) return zeroOf(reading, type);
  return readSingle(reading, type, value, path) ?? zeroOf(reading, type);
}

/** A value of the type; undefined for the zero value of a type that does not distinguish zero from unset. */
function readSingle(reading: Reading, type: string, value: JsonValue, path: string): JsonValue | undefined {
  const [readScalar] = entryOf(SCALARS, type) ?? [];
  if (readScalar !== undefined) {
    const read = readScalar(value, path);
    return /^[a-z]/.test(type) ? read || undefined : read;
  }
  const { schema, onUnknown } = reading;
  const names = schema.enums[type];
  if (names !== undefined) return readEnum(names, value, path);
  return assign({}, readAssignments(schema, type, value, path, onUnknown));
}

type Scalar = readonly [read: (value: JsonValue, path: string) => JsonValue, zero: JsonValue];

const TEXT: Scalar = [only((value) => typeof value === "string", "text: write it in quotes"), ""];
const BOOLEAN: Scalar = [only((value) => typeof value === "boolean", "true or false"), false];
const readInt32 = numberFrom(-(2n ** 31n), 2n ** 31n - 1n);
const INT32: Scalar = [readInt32, 0];
const UINT32: Scalar = [numberFrom(0n, 2n ** 32n - 1n), 0];
const DOUBLE: Scalar = [readDouble, 0];

/** The types of protobuf that are neither enums nor messages; those in lower case do not distinguish zero from unset. */
const SCALARS: Readonly<Record<string, Scalar>> = {
  string: TEXT,
  StringValue: TEXT,
  bool: BOOLEAN,
  BoolValue: BOOLEAN,
  int32: INT32,
  Int32Value: INT32,
  uint32: UINT32,
  UInt32Value: UINT32,
  double: DOUBLE,
  DoubleValue: DOUBLE,
  Int64Value: [(value, path) => String(wholeNumberFrom(-(2n ** 63n), 2n ** 63n - 1n, value, path)), "0"],
  UInt64Value: [(value, path) => String(wholeNumberFrom(0n, 2n ** 64n - 1n, value, path)), "0"],
  Duration: [readDuration, "0s"],
  Struct: [only(isObject, "a mapping"), {}],
};

function only(isRight: (value: JsonValue) => boolean, must: string): Scalar[0] {
  return (value, path) => {
    if (!isRight(value)) throw invalid(path, `must be ${must}`, value);
    return value;
  };
}

function numberFrom(min: bigint, max: bigint): (value: JsonValue, path: string) => number {
  return (value, path) => Number(wholeNumberFrom(min, max, value, path));
}

function wholeNumberFrom(min: bigint, max: bigint, value: JsonValue, path: string): bigint {
  const number = wholeNumberOf(value);
  if (number === undefined) throw invalid(path, "must be a whole number", value);
  if (number < min || number > max) throw invalid(path, `must be from ${min} to ${max}`, value);
  return number;
}

function wholeNumberOf(value: JsonValue): bigint | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== "string") return undefined;
  if (value === "null") return 0n;
  return WHOLE_NUMBER.test(value) ? BigInt(value.trim()) : undefined;
}

function readDouble(value: JsonValue, path: string): number | string {
  if (typeof value === "number") return value;
  if (typeof value === "string") {
    if (NOT_FINITE.has(value)) return value;
    if (value === "null") return 0;
    const number = value.length <= MAX_NUMBER_LENGTH && NUMBER.test(value) ? Number(value) : Number.NaN;
    if (Number.isFinite(number)) return number;
  }
  throw invalid(path, "must be a number", value);
}

function readDuration(value: JsonValue, path: string): string {
  const nanoseconds = typeof value === "string" ? parseDuration(value) : undefined;
  if (nanoseconds === undefined) throw invalid(path, "must be a duration with its unit, like 45s or 1m30s", value);
  return formatDuration(nanoseconds);
}

function readEnum(names: Readonly<Record<string, number>>, value: JsonValue, path: string) {
  if (typeof value === "string") {
    const number = Object.hasOwn(names, value) ? names[value] : undefined;
    if (number === undefined) throw invalid(path, `must be ${listed(Object.keys(names))}`, value);
    return number === 0 ? undefined : value;
  }
  const number = readInt32(value, path);
  if (number === 0) return undefined;
  return Object.keys(names).find((name) => names[name] === number) ?? number;
}

function zeroOf({ schema }: Reading, type: string): JsonValue {
  const names = schema.enums[type];
  if (names !== undefined) return Object.keys(names).find((name) => names[name] === 0) ?? 0;
  return entryOf(SCALARS, type)?.[1] ?? {};
}

function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function shown(key: string): string {
  return key.length > MAX_KEY_SHOWN ? `${key.slice(0, MAX_KEY_SHOWN)}…` : key;
}

function listed(names: readonly string[]): string {
  return either(names.slice(0, MAX_NAMES_SHOWN));
}

/** @param value what was read, where it is one: a field with a rule is described in the words of that rule */
function invalid(path: string, problem: string, value?: JsonValue): OutriggerError {
  const rule = typeof value === "object" || value === undefined ? undefined : proxyFieldRule(path);
  const described = rule ? describeWrong(String(value), `use ${rule.use}`) : problem;
  return new OutriggerError("mesh-invalid", path === "" ? `The text ${problem}` : `${path} ${described}`, { path });
}
