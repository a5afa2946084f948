// Helpers on lists. None of them edits its argument.

import { jsonEqual } from "@outrigger/base";
import { asList, goText, isEmpty, ownValue, sortedJson } from "./argument.ts";
import type { HelperTable } from "./helper-table.ts";

export const listHelpers: HelperTable = {
  /** A list of the arguments: `(list "a" "b")`. */
  list: (args) => [...args],
  /** A list with one more item at its end: `(append names "x")`. */
  append: ([list, item]) => [...asList(list), item],
  /** A list with one more item at its beginning: `(prepend names "x")`. */
  prepend: ([list, item]) => [item, ...asList(list)],
  /** Lists one after another: `(concat a b)`. */
  concat: (args) => args.flatMap(asList),
  /** The first item: `(first spec.containers)`. */
  first: ([list]) => asList(list)[0],
  /** The last item: `(last spec.containers)`. */
  last: ([list]) => asList(list).at(-1),
  /** How many items, entries or characters: `(len spec.containers)`. */
  len: ([value]) =>
    typeof value === "string"
      ? value.length
      : typeof value === "object" && value !== null
        ? Object.keys(value).length
        : 0,
  /** The item or entry at a key, and so on inwards: `(index metadata.annotations "a.b/c")`. */
  index: ([value, ...keys]) => keys.reduce(itemAt, value),
  /** Whether a list has an item: `(has "NET_ADMIN" capabilities.add)`. */
  has: ([item, list]) => asList(list).some((other) => jsonEqual(item, other)),
  /** A list without repetitions: `(uniq names)`. */
  uniq: ([list]) => unique(asList(list)),
  /** A list without some items: `(without names "istio-proxy")`. */
  without: ([list, ...items]) => asList(list).filter((item) => !items.some((other) => jsonEqual(item, other))),
  /** A list without empty items: `(compact names)`. */
  compact: ([list]) => asList(list).filter((item) => !isEmpty(item)),
  /** One field of every item that has it: `(pluck "name" spec.containers)`. */
  pluck: ([key, list]) =>
    asList(list)
      .map((item) => itemAt(item, key))
      .filter((value) => value !== undefined),
};

function itemAt(value: unknown, key: unknown): unknown {
  if (Array.isArray(value)) return typeof key === "number" || typeof key === "string" ? value[Number(key)] : undefined;
  return typeof value === "object" && value !== null ? ownValue(value as never, goText(key)) : undefined;
}

/** By a set, of an object by its text. */
function unique(list: readonly unknown[]): readonly unknown[] {
  const seen = new Set<unknown>();
  return list.filter((item) => {
    const { size } = seen;
    return seen.add(typeof item === "object" && item !== null ? `${IS_JSON}${sortedJson(item)}` : item).size > size;
  });
}

/** No text of YAML or JSON begins so: an object is not equal to a text of its JSON. */
const IS_JSON = "\0";
