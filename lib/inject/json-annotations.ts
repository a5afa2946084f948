// Annotations that the shipped templates read as JSON. They are looked at only when a render has failed: a pod whose
// template does not use them may write in them what it likes.

import { OutriggerError } from "../errors.ts";
import { isObject } from "../json.ts";

const jsonAnnotations: readonly string[] = [
  "sidecar.istio.io/userVolume",
  "sidecar.istio.io/userVolumeMount",
  "apm.datadoghq.com/env",
];

/** Throws `annotation-invalid` if one of them is not a JSON object; `cause` is what the render failed with. */
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
