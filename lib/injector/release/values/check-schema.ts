// `source/schema`: a JSON Schema of the tree's own, which its merged values must match.

import { type Schema, Validator } from "@cfworker/json-schema";
import { type FieldPath, isObject, type JsonObject, type JsonValue, OutriggerError, valueAt } from "@outrigger/base";
import { locateYaml } from "@outrigger/yaml";
import { type SourceText, settingFile } from "../read/source-text.ts";

/** Adds an error for each fault of the schema, or else for each violation, with the position in the last values file that sets the value. */
export function checkSchema(
  schema: SourceText,
  values: JsonObject,
  files: readonly SourceText[],
  errors: OutriggerError[],
): void {
  if (!isObject(schema.value)) {
    const message = "Cannot use schema: it must be a JSON Schema, a mapping";
    errors.push(new OutriggerError("values-invalid", message, { path: "schema" }));
    return;
  }
  const faults = schemaFaults(schema.value);
  for (const { steps, reason } of faults) {
    const place = locateYaml(schema.text, steps, "value");
    errors.push(new OutriggerError("values-invalid", `Cannot use schema: ${reason}`, { path: "schema", ...place }));
  }
  if (faults.length > 0) return;
  for (const { instanceLocation, error } of violations(schema.value, values, errors)) {
    const steps = stepsOf(instanceLocation);
    const file = settingFile(files, steps);
    const name = ["values", ...steps].join(".");
    const message = `Cannot use ${file?.path ?? "the values"}: ${name} does not match the tree's schema: ${error.replace(/\.$/, "")}`;
    const place =
      file === undefined ? { path: "schema" } : { path: file.path, ...locateYaml(file.text, steps, "value") };
    errors.push(new OutriggerError("values-invalid", message, place));
  }
}

/** The innermost ones: the validator also reports every keyword around them. */
function violations(schema: JsonObject, values: JsonObject, errors: OutriggerError[]) {
  try {
    const found = new Validator(schema as Schema, "2020-12", false).validate(values).errors;
    return found.filter(
      ({ keyword, instanceLocation }, index) =>
        !["properties", "additionalProperties", "items", "allOf", "$ref"].includes(keyword) ||
        !found.some((other, at) => at > index && other.instanceLocation.startsWith(`${instanceLocation}/`)),
    );
  } catch (cause) {
    const message = `Cannot use schema: ${cause instanceof Error ? cause.message : "it is not a valid JSON Schema"}`;
    errors.push(new OutriggerError("values-invalid", message, { path: "schema", cause }));
    return [];
  }
}

interface SchemaFault {
  readonly steps: FieldPath;
  /** The fault and how to fix it: half a sentence that starts with the keyword. */
  readonly reason: string;
}

const TYPES: readonly JsonValue[] = ["array", "boolean", "integer", "null", "number", "object", "string"];

type IsRight = (value: JsonValue) => boolean;

const isText: IsRight = (value) => typeof value === "string";
const isTexts: IsRight = (value) => Array.isArray(value) && value.every(isText);
const isSchema: IsRight = (value) => isObject(value) || typeof value === "boolean";
const isMapOf =
  (isRight: IsRight): IsRight =>
  (value) =>
    isObject(value) && Object.values(value).every((each) => isRight(each ?? null));

type Form = readonly [is: IsRight, must: string];

const NUMBER: Form = [(value) => typeof value === "number", "must be a number"];
const TEXT: Form = [isText, "must be text"];
const COUNT: Form = [(value) => Number.isInteger(value) && Number(value) >= 0, "must be a whole number from 0"];
const SCHEMA: Form = [isSchema, "must be a schema: a mapping, true or false"];
const SCHEMAS: Form = [
  (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
  "must be a list of schemas",
];
const SCHEMA_MAP: Form = [isMapOf(isSchema), "must be a mapping of names to schemas"];
const TYPE: Form = [
  (value) => [value].flat().every((each) => TYPES.includes(each)) && [value].flat().length > 0,
  `must be one of ${TYPES.join(", ")}, or a list of them`,
];

/** Keywords of draft 2020-12 whose values have a form. */
const FORMS = new Map<string, Form>([
  ["type", TYPE],
  ["enum", [(value) => Array.isArray(value), "must be a list of values"]],
  ["required", [isTexts, "must be a list of names"]],
  ["uniqueItems", [(value) => typeof value === "boolean", "must be true or false"]],
  ["multipleOf", [(value) => typeof value === "number" && value > 0, "must be a number above 0"]],
  ["dependentRequired", [isMapOf(isTexts), "must be a mapping of names to lists of names"]],
  ...all("minimum maximum exclusiveMinimum exclusiveMaximum", NUMBER),
  ...all("$ref $id $anchor pattern format", TEXT),
  ...all("minLength maxLength minItems maxItems minProperties maxProperties", COUNT),
  ...all("additionalProperties propertyNames items contains not if then else", SCHEMA),
  ...all("unevaluatedProperties unevaluatedItems", SCHEMA),
  ...all("allOf anyOf oneOf prefixItems", SCHEMAS),
  ...all("properties patternProperties $defs definitions dependentSchemas", SCHEMA_MAP),
]);

function all(keywords: string, form: Form): readonly (readonly [string, Form])[] {
  return keywords.split(" ").map((keyword) => [keyword, form]);
}

/** Every fault of a schema, in the order of its text. */
export function schemaFaults(root: JsonObject): readonly SchemaFault[] {
  return faultsOf(root, [], root);
}

function faultsOf(schema: JsonValue | undefined, steps: FieldPath, root: JsonObject): readonly SchemaFault[] {
  const below = (part: JsonValue | undefined, at: FieldPath) => faultsOf(part, at, root);
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value = null]) => {
    const form = FORMS.get(keyword);
    const at = [...steps, keyword];
    if (form === undefined) return [];
    const [is, must] = form;
    if (!is(value)) return [{ steps: at, reason: `${keyword} ${must}` }];
    if (form === SCHEMA) return below(value, at);
    if (form === SCHEMAS) return (value as readonly JsonValue[]).flatMap((each, index) => below(each, [...at, index]));
    const inner = form === SCHEMA_MAP ? Object.entries(value as JsonObject) : [];
    return [...faultsOfTexts(keyword, value, at, root), ...inner.flatMap(([name, each]) => below(each, [...at, name]))];
  });
}

function faultsOfTexts(keyword: string, value: JsonValue, at: FieldPath, root: JsonObject): readonly SchemaFault[] {
  if (keyword === "pattern") return patternFaults(String(value), at);
  if (keyword === "patternProperties") {
    return Object.keys(value as JsonObject).flatMap((pattern) => patternFaults(pattern, [...at, pattern]));
  }
  const ref = String(value);
  if (keyword !== "$ref" || leadsSomewhere(ref, root)) return [];
  const named = `$ref ${JSON.stringify(ref)}`;
  const reason = ref.startsWith("#")
    ? `${named} names nothing in the schema`
    : `${named} is another document, and nothing is fetched: copy it under $defs, and write "#/$defs/NAME"`;
  return [{ steps: at, reason }];
}

function patternFaults(pattern: string, steps: FieldPath): readonly SchemaFault[] {
  try {
    new RegExp(pattern, "u");
    return [];
  } catch {
    return [{ steps, reason: `${JSON.stringify(pattern)} is not a regular expression` }];
  }
}

/** Whether a reference is to the schema itself, to a place in it, or to an identifier that is written in it. */
function leadsSomewhere(ref: string, root: JsonObject): boolean {
  const names = namesIn(root);
  if (ref === "#" || names.includes(ref)) return true;
  const [document = "", fragment] = ref.split("#", 2);
  if (fragment === undefined || (document !== "" && !names.includes(document))) return false;
  if (fragment === "" || names.includes(fragment)) return true;
  if (!fragment.startsWith("/")) return false;
  // A pointer into an embedded document is the validator's business.
  if (document !== "" && document !== root["$id"]) return true;
  return valueAt(root, stepsOf(fragment)) !== undefined;
}

/** Returns the steps of a JSON pointer that is in the fragment of a URI. */
function stepsOf(pointer: string): FieldPath {
  const steps = pointer.split("/").slice(1);
  return steps.map((step) => decoded(step).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function namesIn(value: JsonValue | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isObject(value)) return [];
  const own = [value["$id"], value["$anchor"]].filter((name) => typeof name === "string");
  return [...own, ...Object.values(value).flatMap(namesIn)];
}
