// One YAML text of a source tree with its value, and errors at a field of it.

import { type FieldPath, type JsonValue, OutriggerError, valueAt } from "@outrigger/base";
import { locateYaml } from "@outrigger/yaml";

export interface SourceText {
  readonly path: string;
  readonly text: string;
  readonly value: JsonValue;
}

/**
 * The text that sets a field: of several that do, the last counts.
 *
 * @param files the lowest first
 */
export function settingFile(files: readonly SourceText[], steps: FieldPath): SourceText | undefined {
  return files.findLast(({ value }) => valueAt(value, steps) !== undefined);
}

/** Returns an error that has the line and column of the field. */
export function fieldError(
  code: OutriggerError["code"],
  { path, text }: Pick<SourceText, "path" | "text">,
  steps: FieldPath,
  message: string,
  part: "key" | "value" = "value",
): OutriggerError {
  return new OutriggerError(code, message, { path, ...locateYaml(text, steps, part) });
}
