// The JSON text of a patch. What is constant in a release is printed once.

import type { JsonValue } from "@outrigger/base";
import { memoize } from "@outrigger/base";
import type { PatchOperation } from "./patch-operation.ts";

/** The text of a patch without operations. */
export const EMPTY_PATCH = "[]";

/**
 * The text of `JSON.stringify`, for values that are JSON.
 *
 * @example
 * ```ts
 * formatPatch([{ op: "add", path: "/spec/hostname", value: "a" }]) // => '[{"op":"add","path":"/spec/hostname","value":"a"}]'
 * ```
 */
export function formatPatch(patch: readonly PatchOperation[]): string {
  let text = "";
  for (const operation of patch) text += `${text === "" ? "[" : ","}${formatOperation(operation)}`;
  return text === "" ? EMPTY_PATCH : `${text}]`;
}

function formatOperation(operation: PatchOperation): string {
  switch (operation.op) {
    case "add":
    case "replace":
      return `{"op":"${operation.op}","path":${quotedPath(operation.path)},"value":${formatNode(operation.value)}}`;
    default:
      return JSON.stringify(operation);
  }
}

/** Pods of a release are changed in the same places. */
const quotedPath = memoize((path) => JSON.stringify(path));

/** Frozen nodes are constants: their text stays what it is. */
const printed = new WeakMap<object, string>();

function formatNode(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const known = printed.get(value);
  if (known !== undefined) return known;
  if (!Object.isFrozen(value)) return Array.isArray(value) ? formatList(value) : formatObject(value as object);
  const text = JSON.stringify(value);
  printed.set(value, text);
  return text;
}

function formatList(list: readonly JsonValue[]): string {
  let text = "[";
  for (let at = 0; at < list.length; at++) text += (at === 0 ? "" : ",") + formatNode(list[at] as JsonValue);
  return `${text}]`;
}

function formatObject(object: object): string {
  let text = "{";
  for (const key in object) {
    const value = (object as Readonly<Record<string, JsonValue | undefined>>)[key];
    if (value === undefined) continue;
    text += `${text.length === 1 ? "" : ","}${formatKey(key)}:${formatNode(value)}`;
  }
  return `${text}}`;
}

/** Names of fields need no escapes, and a check is faster than printing. */
function formatKey(key: string): string {
  return PLAIN.test(key) ? `"${key}"` : JSON.stringify(key);
}

const PLAIN = /^[A-Za-z]+$/;
