// What the fields of a MeshConfig take, for editors: by the rule of each, or else by its type.

import { entryOf } from "@outrigger/base";
import { type FieldRules, proxyFieldRule } from "./field-rules.ts";
import { MESH_FIELDS, MESH_MESSAGE, meshAndProxySchema } from "./mesh-config.ts";
import { fieldsOf, type ProtoField } from "./proto-schema.ts";

/** A field of a MeshConfig with what it takes. */
export interface MeshField {
  readonly name: string;
  /** What the field takes, as the end of a sentence: `a port from 1 to 65535`. */
  readonly use: string;
  /** The values, where these are all that there are. */
  readonly choices?: readonly (string | boolean)[];
}

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  StringValue: "text",
  double: "a number",
  DoubleValue: "a number",
  Duration: "a duration with its unit, like 45s or 1m30s",
  Struct: "a mapping",
};

const BOOLEAN = /^bool/i;
const WHOLE_NUMBER = /^u?int/i;

/**
 * The fields that a MeshConfig may have below keys; none below a single value, and where keys are names of your own or not known.
 *
 * @param keys without the indexes of lists
 * @example
 * ```ts
 * meshFields(["defaultConfig"]).find(({ name }) => name === "statusPort")?.use // => "a port from 1 to 65535"
 * ```
 */
export function meshFields(keys: readonly string[]): readonly MeshField[] {
  const path: string[] = [];
  let type = MESH_MESSAGE;
  let isMap = false;
  for (const key of keys) {
    if (isMap) {
      isMap = false;
      continue;
    }
    const field = fieldsOf(meshAndProxySchema, type).find(({ name, protoName }) => name === key || protoName === key);
    if (field === undefined) return [];
    path.push(field.name);
    type = field.type;
    isMap = field.shape === "map";
  }
  return isMap ? [] : fieldsOf(meshAndProxySchema, type).map((field) => describeField(field, [...path, field.name]));
}

function describeField({ name, type, shape }: ProtoField, path: readonly string[]): MeshField {
  if (shape !== "one") return { name, use: shape === "list" ? "a list" : "a mapping" };
  const rule = entryOf<FieldRules[string]>(MESH_FIELDS, path.join("."))?.[0] ?? proxyRule(path);
  // A mesh is what others inherit from: Istio refuses that there.
  const names = Object.keys(meshAndProxySchema.enums[type] ?? {}).filter((each) => each !== "INHERIT");
  const choices = rule?.choices ?? (BOOLEAN.test(type) ? [true, false] : names);
  const use = rule?.use ?? (choices.length > 0 ? listed(choices) : typeUse(type));
  return { name, use, ...(choices.length > 0 && { choices }) };
}

function proxyRule(path: readonly string[]) {
  return path[0] === "defaultConfig" ? proxyFieldRule(path.join(".")) : undefined;
}

function typeUse(type: string): string {
  return entryOf(TYPES, type) ?? (WHOLE_NUMBER.test(type) ? "a whole number" : "a mapping");
}

function listed(choices: readonly (string | boolean)[]): string {
  return choices.length === 1 ? String(choices[0]) : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}
