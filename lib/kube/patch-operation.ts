// The operations of a JSON Patch (RFC 6902), and JSON pointers (RFC 6901).

import { isObject, type JsonValue } from "../json.ts";

export type PatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: JsonValue }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/** Whether a value is an operation of RFC 6902. Whether it applies is for applyPatch to find. */
export function isPatchOperation(value: unknown): value is PatchOperation {
  if (!isObject(value) || typeof value["path"] !== "string") return false;
  switch (value["op"]) {
    case "add":
    case "replace":
    case "test":
      return value["value"] !== undefined;
    case "move":
    case "copy":
      return typeof value["from"] === "string";
    default:
      return value["op"] === "remove";
  }
}

/**
 * The pointer with one more step, in which `~` and `/` are escaped.
 *
 * @example
 * ```ts
 * extendPointer("/metadata/labels", "a/b") // => "/metadata/labels/a~1b"
 * ```
 */
export function extendPointer(pointer: string, step: string | number): string {
  if (typeof step === "number") return `${pointer}/${step}`;
  if (!step.includes("~") && !step.includes("/")) return `${pointer}/${step}`;
  return `${pointer}/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The unescaped steps of a pointer; undefined if the text is not a pointer. The empty pointer has no steps. */
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

/** One step of a pointer, unescaped; undefined if an escape is neither `~0` nor `~1`. */
export function unescapeStep(step: string): string | undefined {
  if (!step.includes("~")) return step;
  return BAD_ESCAPE.test(step) ? undefined : step.replaceAll("~1", "/").replaceAll("~0", "~");
}

const SLASH = 47;
const BAD_ESCAPE = /~(?![01])/;
