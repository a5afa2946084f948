// The operations of a JSON Patch (RFC 6902), their text, and JSON pointers (RFC 6901).
import { isObject, type JsonValue, memoize } from "@outrigger/base";

/** One operation of a JSON Patch (RFC 6902); its pointers are RFC 6901. */
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
  const below = kept.get(pointer);
  const before = below?.get(step);
  if (before !== undefined) return before;
  const path = extended(pointer, step);
  const isUsual = path.length <= LONGEST && !(typeof step === "number" && step >= MOST_ITEMS);
  if (below !== undefined && isUsual && kept.size < MOST_POINTERS) {
    below.set(step, path);
    kept.set(path, new Map());
  }
  return path;
}

/**
 * Pointer → step → the pointer with it. Pods of a release are changed in the same places, and a map finds a text that it has seen before
 * faster than an equal one. The first ones stay: a pod with many containers drops nothing that others use.
 */
const kept = new Map<string, Map<string | number, string>>([["", new Map()]]);

const MOST_POINTERS = 1024;
const MOST_ITEMS = 16;
const LONGEST = 128;

function extended(pointer: string, step: string | number): string {
  if (typeof step === "number") return `${pointer}/${step}`;
  return step.includes("/") || step.includes("~") ? `${pointer}/${escapeStep(step)}` : `${pointer}/${step}`;
}

const escapeStep = memoize((step) => step.replaceAll("~", "~0").replaceAll("/", "~1"));

/** A pointer to a value in a document: everything but the empty one, which is the document. */
export interface Pointer {
  /** The pointer to what holds the value, as text. */
  readonly parent: string;
  /** The unescaped steps of the parent. */
  readonly steps: readonly string[];
  /** The unescaped step from there to the value. */
  readonly last: string;
}

/**
 * Reads a pointer that is not empty; undefined if the text is not a pointer. Pods of a release are changed in the same places,
 * so recent pointers are remembered.
 *
 * @example
 * ```ts
 * readPointer("/metadata/labels/a~1b") // => { parent: "/metadata/labels", steps: ["metadata", "labels"], last: "a/b" }
 * readPointer("metadata") // => undefined
 * ```
 */
export const readPointer: (text: string) => Pointer | undefined = memoize((text) => {
  if (text.charCodeAt(0) !== SLASH) return undefined;
  const steps: string[] = [];
  for (const step of text.slice(1).split("/")) {
    if (BAD_ESCAPE.test(step)) return undefined;
    steps.push(step.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  const last = steps.pop() as string;
  return { parent: text.slice(0, text.lastIndexOf("/")), steps, last };
});

const SLASH = 47;
const BAD_ESCAPE = /~(?![01])/;

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
    case "replace": {
      const { op, path, value } = operation;
      // Long texts, as the record of an injection, are the same in many pods.
      const text = typeof value === "string" && value.length > LONG ? quoted(value) : formatNode(value);
      return `{"op":"${op}","path":${quoted(path)},"value":${text}}`;
    }
    default:
      return JSON.stringify(operation);
  }
}

const LONG = 256;

/** Quotes a path or text. It is cached, because pods of a release are changed in the same places. */
const quoted = memoize((text) => JSON.stringify(text));

/** The texts of frozen nodes, which are constants: their text stays what it is. */
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

/** Prints a key. Names of fields need no escapes, and a check is faster than printing. */
function formatKey(key: string): string {
  return PLAIN.test(key) ? `"${key}"` : JSON.stringify(key);
}

const PLAIN = /^[A-Za-z]+$/;
