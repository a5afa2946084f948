// What the fields of a MeshConfig take, for editors: by the rule of each, or else by its type.

import { entryOf, once } from "@outrigger/base";
import { either } from "./either.ts";
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

/** Deeper than any field that people set: messages may hold themselves. */
const DEEPEST = 6;

/**
 * The fields that a MeshConfig may have below each path of keys, without the indexes of lists; `*` stands for a key of your own. Nothing
 * is below a single value.
 *
 * @example
 * ```ts
 * meshFields()["defaultConfig"]?.find(({ name }) => name === "statusPort")?.use // => "a port from 1 to 65535"
 * ```
 */
export const meshFields = once((): Readonly<Record<string, readonly MeshField[]>> => {
  const found: Record<string, readonly MeshField[]> = {};
  const visit = (type: string, path: readonly string[]): void => {
    const fields = fieldsOf(meshAndProxySchema, type);
    if (fields.length === 0 || path.length > DEEPEST) return;
    found[path.join(".")] = fields.map((field) => describeField(field, [...path, field.name]));
    for (const { name, type, shape } of fields) visit(type, [...path, name, ...(shape === "map" ? ["*"] : [])]);
  };
  visit(MESH_MESSAGE, []);
  return found;
});

function describeField({ name, type, shape }: ProtoField, path: readonly string[]): MeshField {
  if (shape !== "one") return { name, use: shape === "list" ? "a list" : "a mapping" };
  const rule = entryOf<FieldRules[string]>(MESH_FIELDS, path.join("."))?.[0] ?? proxyRule(path);
  // A mesh is what others inherit from: Istio refuses that there.
  const names = Object.keys(meshAndProxySchema.enums[type] ?? {}).filter((each) => each !== "INHERIT");
  const choices = rule?.choices ?? (BOOLEAN.test(type) ? [true, false] : names);
  const use = rule?.use ?? (choices.length > 0 ? either(choices.map(String)) : typeUse(type));
  return { name, use, ...(choices.length > 0 && { choices }) };
}

function proxyRule(path: readonly string[]) {
  return path[0] === "defaultConfig" ? proxyFieldRule(path.join(".")) : undefined;
}

function typeUse(type: string): string {
  return entryOf(TYPES, type) ?? (WHOLE_NUMBER.test(type) ? "a whole number" : "a mapping");
}
