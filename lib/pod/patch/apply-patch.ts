// Applies a JSON Patch (RFC 6902), copying only the nodes that the operations change. It is used to check a patch, so it
// trusts neither the pointers nor the document.
import type { JsonObject, JsonValue } from "@outrigger/base";
import { defineEntry, entryOf, isObject, jsonEqual, OutriggerError, withoutEntries } from "@outrigger/base";
import { type PatchOperation, type Pointer, readPointer } from "./patch-operation.ts";

/**
 * Applies the operations in order. The document is not mutated; unchanged nodes are shared with the result. Pointers reach
 * own entries only: `/__proto__/x` finds nothing unless the document has such a key.
 *
 * @throws OutriggerError `patch-check-failed` with the pointer as path, if an operation does not apply
 * @example
 * ```ts
 * applyPatch({ a: [1] }, [{ op: "add", path: "/a/-", value: 2 }]) // => { a: [1, 2] }
 * ```
 */
export function applyPatch<T extends JsonValue>(document: T, patch: readonly PatchOperation[]): T {
  const draft: Draft = { document, owned: new Set(), pointer: undefined, node: undefined, copies: 0 };
  for (const operation of patch) applyOperation(draft, operation);
  return draft.document as T;
}

type Mutable = JsonValue[] | Record<string, JsonValue | undefined>;

/** The document while it is being patched. */
interface Draft {
  document: JsonValue;
  /** Nodes that were copied for the draft: only the draft has them, so it may write to them. */
  owned: Set<object>;
  /** The node that the last operation wrote to, and its pointer: the next one often writes there too. */
  pointer: string | undefined;
  node: Mutable | undefined;
  /** The number of entries that were removed by copying the others. */
  copies: number;
}

/** The first removals of entries copy the object (withoutEntries says why). More of them would be quadratic. */
const MAX_COPIES = 32;

function applyOperation(draft: Draft, operation: PatchOperation): void {
  switch (operation.op) {
    case "add":
    case "replace":
      put(draft, operation, operation.value, operation.op === "add");
      break;
    case "remove":
      take(draft, operation, operation.path);
      break;
    case "copy": {
      const value = read(draft.document, operation, operation.from);
      // Two nodes share the value now, so the draft owns no node any more.
      restart(draft, draft.document);
      put(draft, operation, value, true);
      break;
    }
    case "move": {
      const value = read(draft.document, operation, operation.from);
      if (operation.path === operation.from) break;
      if (operation.path.startsWith(`${operation.from}/`)) throw failure(operation, "a node cannot move into itself");
      take(draft, operation, operation.from);
      put(draft, operation, value, true);
      break;
    }
    case "test":
      if (jsonEqual(read(draft.document, operation, operation.path), operation.value)) break;
      throw failure(operation, "the tested value differs");
    default:
      throw failure(operation, "the operation is not known");
  }
}

function put(draft: Draft, operation: PatchOperation, value: JsonValue, isInsert: boolean): void {
  if (operation.path === "") {
    restart(draft, value);
    return;
  }
  const { node, last } = openParent(draft, operation, operation.path);
  if (Array.isArray(node)) {
    const position =
      isInsert && last === "-" ? node.length : indexOf(operation, last, node.length + (isInsert ? 1 : 0));
    node.splice(position, isInsert ? 0 : 1, value);
  } else {
    if (!isInsert && entryOf(node, last) === undefined) throw failure(operation, "there is nothing to replace");
    defineEntry(node, last, value);
  }
}

function take(draft: Draft, operation: PatchOperation, pointer: string): void {
  if (pointer === "") throw failure(operation, "the document itself cannot be removed");
  const { node, last } = openParent(draft, operation, pointer);
  if (Array.isArray(node)) {
    node.splice(indexOf(operation, last, node.length), 1);
    return;
  }
  if (entryOf(node, last) === undefined) throw failure(operation, "there is nothing to remove");
  if (draft.copies === MAX_COPIES) {
    Reflect.deleteProperty(node, last);
    return;
  }
  draft.copies += 1;
  const rest = withoutEntries(node, [last]);
  draft.owned.add(rest);
  const { parent } = pointerOf(operation, pointer);
  if (parent === "") {
    draft.document = rest;
    draft.node = rest as Mutable;
  } else {
    const holder = openParent(draft, operation, parent);
    setChild(holder.node, holder.last, rest);
  }
}

function restart(draft: Draft, document: JsonValue): void {
  draft.document = document;
  draft.owned = new Set();
  draft.pointer = undefined;
}

/** The parent of the pointer's last step. It and its ancestors are copied unless the draft already owns them. */
function openParent(draft: Draft, operation: PatchOperation, text: string): { node: Mutable; last: string } {
  const { parent, steps, last } = pointerOf(operation, text);
  if (draft.pointer !== parent || draft.node === undefined) {
    draft.node = openNode(draft, operation, steps);
    draft.pointer = parent;
  }
  return { node: draft.node, last };
}

function openNode(draft: Draft, operation: PatchOperation, steps: readonly string[]): Mutable {
  let node = ownNode(draft.document, draft.owned, operation);
  draft.document = node;
  for (const step of steps) {
    const child = childOf(node, step, operation);
    const own = ownNode(child, draft.owned, operation);
    if (own !== child) setChild(node, step, own);
    node = own;
  }
  return node;
}

function ownNode(value: JsonValue, owned: Set<object>, operation: PatchOperation): Mutable {
  if (typeof value !== "object" || value === null) throw failure(operation, "a step leads through a scalar");
  if (owned.has(value)) return value as Mutable;
  const copy: Mutable = Array.isArray(value) ? value.slice() : { ...(value as JsonObject) };
  owned.add(copy);
  return copy;
}

function read(document: JsonValue, operation: PatchOperation, text: string): JsonValue {
  if (text === "") return document;
  const { steps, last } = pointerOf(operation, text);
  let value = document;
  for (const step of steps) value = childOf(value, step, operation);
  return childOf(value, last, operation);
}

function childOf(node: JsonValue | Mutable, step: string, operation: PatchOperation): JsonValue {
  if (Array.isArray(node)) return node[indexOf(operation, step, node.length)] as JsonValue;
  const child = isObject(node) ? entryOf(node, step) : undefined;
  if (child === undefined) throw failure(operation, "a step leads nowhere");
  return child;
}

function setChild(node: Mutable, step: string, value: JsonValue): void {
  if (Array.isArray(node)) node[Number(step)] = value;
  else defineEntry(node, step, value);
}

function indexOf(operation: PatchOperation, step: string, limit: number): number {
  const index = INDEX.test(step) ? Number(step) : limit;
  if (index >= limit) throw failure(operation, "the list has no such index");
  return index;
}

const INDEX = /^(?:0|[1-9][0-9]{0,8})$/;

function pointerOf(operation: PatchOperation, text: string): Pointer {
  const pointer = typeof text === "string" ? readPointer(text) : undefined;
  if (pointer === undefined) throw failure(operation, "the path is not a JSON pointer");
  return pointer;
}

function failure(operation: PatchOperation, reason: string): OutriggerError {
  const pointer = String(operation.path).slice(0, POINTER_LIMIT);
  const message = `Cannot apply patch operation ${operation.op} ${pointer}: ${reason}`;
  return new OutriggerError("patch-check-failed", message, { path: pointer });
}

const POINTER_LIMIT = 200;
