// `source/schema`: a JSON Schema of the tree's own, which its merged values must match.

import { type Schema, Validator } from "@cfworker/json-schema";
import { isObject, type JsonObject, OutriggerError } from "@outrigger/base";
import { locateYaml } from "@outrigger/yaml";
import type { SourceText } from "../read/read-tree.ts";
import { schemaFaults } from "./schema-faults.ts";

/** Adds an error for each fault of the schema, or else for each violation, with the position in the last values file that sets the value. */
export function checkSchema(
  schema: SourceText,
  values: JsonObject,
  files: readonly SourceText[],
  errors: OutriggerError[],
): void {
  if (!isObject(schema.value)) {
    errors.push(
      new OutriggerError("values-invalid", "Cannot use schema: it must be a JSON Schema, a mapping", {
        path: "schema",
      }),
    );
    return;
  }
  const faults = schemaFaults(schema.value);
  for (const { steps, reason } of faults) {
    const place = locateYaml(schema.text, steps, "value");
    errors.push(new OutriggerError("values-invalid", `Cannot use schema: ${reason}`, { path: "schema", ...place }));
  }
  if (faults.length > 0) return;
  for (const { instanceLocation, error } of violations(schema.value, values, errors)) {
    const steps = instanceLocation
      .split("/")
      .slice(1)
      .map((step) => decodeURIComponent(step.replaceAll("~1", "/").replaceAll("~0", "~")));
    const file = files.findLast(({ value }) => hasPath(value, steps));
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

function hasPath(value: unknown, steps: readonly string[]): boolean {
  let at = value;
  for (const step of steps) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Record<string, unknown>)[step];
  }
  return true;
}
