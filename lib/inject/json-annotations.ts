// Annotations that the shipped templates read as JSON. They are checked only after a render has failed: if a template
// does not use them, they may hold anything.

import { OutriggerError } from "../errors.ts";
import { isObject } from "../json.ts";

const jsonAnnotations: readonly string[] = [
  "sidecar.istio.io/userVolume",
  "sidecar.istio.io/userVolumeMount",
  "apm.datadoghq.com/env",
];

/**
 * Checks the annotations after a failed render.
 *
 * @param cause the error of the render
 * @throws OutriggerError `annotation-invalid` if one of them is not a JSON object
 */
export function checkJsonAnnotations(annotations: Readonly<Record<string, string>>, cause: unknown): void {
  const key = jsonAnnotations.find(
    (name) => Object.hasOwn(annotations, name) && !isJsonObject(annotations[name] ?? ""),
  );
  if (key === undefined) return;
  throw new OutriggerError(
    "annotation-invalid",
    `Cannot read annotation ${key}: it must be a JSON object of name to value`,
    { path: `metadata.annotations[${key}]`, cause },
  );
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
