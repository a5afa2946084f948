// Applies a JSON Patch (RFC 6902), copying only what the operations touch. Made for checking a patch on the document that
// came: it trusts neither the pointers nor the document.

import { OutriggerError } from "../errors.ts";
import { isObject, type JsonObject, type JsonValue, jsonEqual } from "../json.ts";
import { defineEntry, entryOf, withoutEntries } from "./json-entry.ts";
import { type PatchOperation, parsePointer } from "./patch-operation.ts";

/**
 * Applies the operations in order. The document is not mutated; what no operation touches is shared with the result. A
 * pointer reaches own entries only: `/__proto__/x` finds nothing unless the document has such a key.
 *
 * @throws OutriggerError `patch-check-failed` with the pointer as path, when an operation does not apply
 */
export function applyPatch<T extends JsonValue>(document: T, patch: readonly PatchOperation[]): T {
  let state: State = { document, owned: new Set() };
  for (const operation of patch) state = applyOperation(state, operation);
  return state.document as T;
}

/** The document so far, and the nodes that were copied for it: they may be written to, nobody else holds them. */
interface State {
  readonly document: JsonValue;
  readonly owned: Set<object>;
}

type Mutable = JsonValue[] | Record<string, JsonValue | undefined>;

function applyOperation(state: State, operation: PatchOperation): State {
  switch (operation.op) {
    case "add":
    case "replace":
      return put(state, operation, operation.value);
    case "remove":
      return take(state, operation, operation.path);
    case "copy":
      // The copied node now has two holders, so nothing is owned any more.
      return put({ document: state.document, owned: new Set() }, operation, read(state.document, operation, operation.from));
    case "move": {
      const value = read(state.document, operation, operation.from);
      if (operation.path === operation.from) return state;
      if (operation.path.startsWith(`${operation.from}/`)) throw failure(operation, "a node cannot move into itself");
      return put(take(state, operation, operation.from), operation, value);
    }
    case "test":
      if (!jsonEqual(read(state.document, operation, operation.path), operation.value)) {
        throw failure(operation, "the tested value is another");
      }
      return state;
    default:
      throw failure(operation, "there is no such operation");
  }
}

function put(state: State, operation: PatchOperation, value: JsonValue): State {
  const steps = stepsOf(operation, operation.path);
  if (steps.length === 0) return { document: value, owned: new Set() };
  const last = steps[steps.length - 1] as string;
  const isInsert = operation.op !== "replace";
  const { document, node } = openParent(state, operation, steps);
  if (Array.isArray(node)) {
    const position = isInsert && last === "-" ? node.length : indexOf(operation, last, node.length + (isInsert ? 1 : 0));
    node.splice(position, isInsert ? 0 : 1, value);
  } else {
    if (!isInsert && entryOf(node, last) === undefined) throw failure(operation, "there is nothing to replace");
    defineEntry(node, last, value);
  }
  return { document, owned: state.owned };
}

function take(state: State, operation: PatchOperation, pointer: string): State {
  const steps = stepsOf(operation, pointer);
  if (steps.length === 0) throw failure(operation, "the document itself cannot be removed");
  const last = steps[steps.length - 1] as string;
  const { document, node, parent } = openParent(state, operation, steps);
  if (Array.isArray(node)) {
    node.splice(indexOf(operation, last, node.length), 1);
    return { document, owned: state.owned };
  }
  if (entryOf(node, last) === undefined) throw failure(operation, "there is nothing to remove");
  const rest = withoutEntries(node, [last]);
  state.owned.add(rest);
  if (parent === undefined) return { document: rest, owned: state.owned };
  setChild(parent, steps[steps.length - 2] as string, rest);
  return { document, owned: state.owned };
}

/** Copies the way to the node that holds the pointer's last step, as far as it is not a copy yet. */
function openParent(state: State, operation: PatchOperation, steps: readonly string[]) {
  const { owned } = state;
  const document = ownNode(state.document, owned, operation);
  let node = document;
  let parent: Mutable | undefined;
  for (let at = 0; at < steps.length - 1; at++) {
    const step = steps[at] as string;
    const child = childOf(node, step, operation);
    const own = ownNode(child, owned, operation);
    if (own !== child) setChild(node, step, own);
    parent = node;
    node = own;
  }
  return { document: document as JsonValue, node, parent };
}

function ownNode(value: JsonValue, owned: Set<object>, operation: PatchOperation): Mutable {
  if (typeof value !== "object" || value === null) throw failure(operation, "a step leads through a scalar");
  if (owned.has(value)) return value as Mutable;
  const copy: Mutable = Array.isArray(value) ? value.slice() : { ...(value as JsonObject) };
  owned.add(copy);
  return copy;
}

function read(document: JsonValue, operation: PatchOperation, pointer: string): JsonValue {
  let value = document;
  for (const step of stepsOf(operation, pointer)) value = childOf(value, step, operation);
  return value;
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

function stepsOf(operation: PatchOperation, pointer: string): readonly string[] {
  const steps = typeof pointer === "string" ? parsePointer(pointer) : undefined;
  if (steps === undefined) throw failure(operation, "that is not a JSON pointer");
  return steps;
}

function failure(operation: PatchOperation, reason: string): OutriggerError {
  const pointer = String(operation.path).slice(0, POINTER_LIMIT);
  return new OutriggerError("patch-check-failed", `Cannot apply patch operation ${operation.op} ${pointer}: ${reason}`, {
    path: pointer,
  });
}

const POINTER_LIMIT = 200;
