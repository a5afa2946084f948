// Carries the origins of a pod's nodes over one step of the injection. What the step leaves as it was keeps its origin; the
// rest has the origin that its mark says or, without a mark, the step.

import { isObject, type JsonObject, type JsonValue, listOf } from "@outrigger/base";
import { POD_TYPE, type TypeSchema } from "@outrigger/pod";
import type { Marks, Origin } from "./marks.ts";

/** The origins of a node and of everything below it, in the form of the node. */
export interface Origins {
  readonly own: Origin;
  /** The origins of the entries or items, by key or index. A scalar has none. */
  readonly children: ReadonlyMap<string | number, Origins>;
}

const NO_CHILDREN: Origins["children"] = new Map();

export interface Before {
  readonly value: JsonValue;
  readonly origins: Origins;
}

interface Marked {
  readonly value: JsonValue | undefined;
  readonly origin: Origin | undefined;
}

/** The schema of a node: its type, and the key of its items if it is a merged list. */
type Schema = { readonly type: TypeSchema | undefined; readonly mergeKey?: string | undefined };

/**
 * The origins after a step.
 *
 * @param marked what the step made of the marked pod, if it carries marks
 * @param step the origin of what the step wrote itself
 */
export function carryOrigins(
  before: Before | undefined,
  after: JsonValue,
  marked: JsonValue | undefined,
  step: Origin,
  marks: Marks,
): Origins {
  return carry(before, after, { value: marked, origin: undefined }, { type: POD_TYPE });

  function carry(before: Before | undefined, after: JsonValue, marked: Marked, schema: Schema): Origins {
    if (marked.value === undefined && before?.value === after) return before.origins;
    if (Array.isArray(after)) return carryList(before, after, marked, schema);
    if (isObject(after)) return carryObject(before, after, marked, schema);
    const kept = before?.value === after ? before.origins.own : undefined;
    return { own: marked.origin ?? kept ?? step, children: NO_CHILDREN };
  }

  /**
   * Returns the origin of a node itself. A list or object that was there before belongs to those who wrote it first,
   * whatever is merged into it.
   */
  function ownOrigin(before: Before | undefined, marked: Marked): Origin {
    return before?.origins.own ?? marked.origin ?? step;
  }

  function carryObject(before: Before | undefined, after: JsonObject, marked: Marked, { type }: Schema): Origins {
    const old = isObject(before?.value) ? before : undefined;
    const given = isObject(marked.value) ? marked.value : undefined;
    const children = new Map<string | number, Origins>();
    for (const [key, value] of Object.entries(after)) {
      if (value === undefined) continue;
      const field = type?.fields.get(key);
      const inner = { value: given?.[key], origin: given && marks.readEntry(given, key) };
      const mergeKey = field?.isMerged === true ? field.mergeKey : undefined;
      const known = isRewritten(old, key, inner) ? undefined : child(old, key);
      children.set(key, carry(known, value, inner, { type: field?.type ?? type?.element, mergeKey }));
    }
    return { own: ownOrigin(old, marked), children };
  }

  function carryList(before: Before | undefined, after: readonly JsonValue[], marked: Marked, schema: Schema): Origins {
    const old = Array.isArray(before?.value) ? before : undefined;
    const given = listOf(marked.value);
    const isSameForm = given.length === after.length;
    const matches = matchItems(listOf(old?.value), after, schema.mergeKey);
    const children = after.map((item, index): [number, Origins] => {
      const match = matches[index];
      const value = isSameForm ? given[index] : undefined;
      const origin = isObject(value) ? marks.readItem(value) : marks.read(value);
      const known = match === undefined ? undefined : child(old, match);
      return [index, carry(known, item, { value, origin }, { type: schema.type?.element })];
    });
    return { own: ownOrigin(old, marked), children: new Map(children) };
  }
}

/**
 * Whether the step wrote a scalar again, the same value included: what came in had a mark, what came out has none. Of the
 * author's scalars, some have none to begin with.
 */
function isRewritten(before: Before | undefined, key: string, { value, origin }: Marked): boolean {
  if (value === undefined || value === null || typeof value === "object" || origin !== undefined) return false;
  const own = before?.origins.children.get(key)?.own;
  return own !== undefined && own.kind !== "pod";
}

function child(parent: Before | undefined, step: string | number): Before | undefined {
  const origins = parent?.origins.children.get(step);
  const value = (parent?.value as Readonly<Record<string | number, JsonValue | undefined>> | undefined)?.[step];
  return origins === undefined || value === undefined ? undefined : { value, origins };
}

/**
 * Returns, for each item, the index of the item that it was: the same node, or else the one with the same merge key or
 * place.
 */
function matchItems(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  mergeKey: string | undefined,
): readonly (number | undefined)[] {
  const left = new Set(before.keys());
  const take = (isMatch: (item: JsonValue, at: number) => boolean): number | undefined => {
    for (const at of left) {
      if (!isMatch(before[at] as JsonValue, at)) continue;
      left.delete(at);
      return at;
    }
    return undefined;
  };
  const same = after.map((item) => (typeof item === "object" ? take((one) => one === item) : undefined));
  const shift = before.length - after.length;
  const keyOf = (item: JsonValue) => (isObject(item) && mergeKey !== undefined ? item[mergeKey] : undefined);
  return after.map((item, index) => {
    if (same[index] !== undefined) return same[index];
    if (mergeKey !== undefined) return take((one) => keyOf(one) === keyOf(item));
    if (shift === 0) return take((_, at) => at === index);
    return take((one, at) => one === item && (at === index || at === index + shift));
  });
}
