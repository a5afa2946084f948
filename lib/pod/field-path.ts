// Field paths as text: `spec.containers[0].name`.
import type { FieldPath } from "@outrigger/base";

/**
 * The text of a path: `spec.containers[0].name`; keys that are not plain names are in brackets, long ones shortened. The root
 * is the empty text.
 *
 * @example
 * ```ts
 * formatFieldPath(["metadata", "labels", "a/b"]) // => 'metadata.labels["a/b"]'
 * ```
 */
export function formatFieldPath(path: FieldPath): string {
  const text = path.map(formatStep).join("");
  return text.startsWith(".") ? text.slice(1) : text;
}

function formatStep(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  return /^[\w-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step.slice(0, STEP_LIMIT))}]`;
}

const STEP_LIMIT = 100;

/**
 * Reads the text of a path, up to a key that was shortened.
 *
 * @example
 * ```ts
 * parseFieldPath("spec.containers[0].name") // => ["spec", "containers", 0, "name"]
 * ```
 */
export function parseFieldPath(text: string): FieldPath {
  return [...text.matchAll(STEP)].map(([, name, index, key]) => {
    if (name !== undefined) return name;
    return index === undefined ? (JSON.parse(key as string) as string) : Number(index);
  });
}

const STEP = /\.?([\w-]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/gy;
