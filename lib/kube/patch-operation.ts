// The operations of a JSON Patch (RFC 6902) and the pointers (RFC 6901) they use.

import type { JsonValue } from "../json.ts";

export type PatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: JsonValue }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/** The pointer one step further: `~` and `/` in the step are escaped. */
export function extendPointer(pointer: string, step: string | number): string {
  if (typeof step === "number") return `${pointer}/${step}`;
  if (!step.includes("~") && !step.includes("/")) return `${pointer}/${step}`;
  return `${pointer}/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The steps of a pointer, unescaped; undefined when it is not a pointer. The empty pointer has no steps. */
export function parsePointer(pointer: string): readonly string[] | undefined {
  if (pointer === "") return [];
  if (pointer.charCodeAt(0) !== SLASH) return undefined;
  const steps: string[] = [];
  for (const step of pointer.slice(1).split("/")) {
    const unescaped = unescapeStep(step);
    if (unescaped === undefined) return undefined;
    steps.push(unescaped);
  }
  return steps;
}

/** One step of a pointer, unescaped; undefined when an escape is neither `~0` nor `~1`. */
export function unescapeStep(step: string): string | undefined {
  if (!step.includes("~")) return step;
  return BAD_ESCAPE.test(step) ? undefined : step.replaceAll("~1", "/").replaceAll("~0", "~");
}

const SLASH = 47;
const BAD_ESCAPE = /~(?![01])/;
