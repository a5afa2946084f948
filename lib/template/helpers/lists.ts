// Helpers on lists. None of them edits its argument.

import { entryOf, jsonEqual } from "@outrigger/base";
import { asInteger, asList, goText, isEmpty, sortedJson } from "./argument.ts";
import { LIST } from "./common-arguments.ts";
import { defineHelpers } from "./helper.ts";

export const listHelpers = defineHelpers({
  list: {
    run: (args) => [...args],
    doc: {
      text: "A list of the arguments.",
      args: [["item…?", "any", "the items"]],
      result: "list",
      examples: [['(list "a" 1)', ["a", 1]]],
    },
  },
  append: {
    run: ([list, item]) => [...asList(list), item],
    doc: {
      text: "The list with one more item at its end.",
      args: [LIST, ["item", "any", "the new last item"]],
      result: "list",
      examples: [['(append (list "a") "b")', ["a", "b"]]],
    },
  },
  prepend: {
    run: ([list, item]) => [item, ...asList(list)],
    doc: {
      text: "The list with one more item at its beginning.",
      args: [LIST, ["item", "any", "the new first item"]],
      result: "list",
      examples: [['(prepend (list "a") "b")', ["b", "a"]]],
    },
  },
  concat: {
    run: (args) => args.flatMap(asList),
    doc: {
      text: "The items of several lists as one list.",
      args: [["list…", "list", "lists"]],
      result: "list",
      examples: [['(concat (list "a") (list "b" "c"))', ["a", "b", "c"]]],
    },
  },
  first: {
    run: ([list]) => asList(list)[0],
    doc: {
      text: "The first item of a list.",
      args: [LIST],
      result: "any",
      examples: [['(first (list "a" "b"))', "a"]],
    },
  },
  last: {
    run: ([list]) => asList(list).at(-1),
    doc: {
      text: "The last item of a list.",
      args: [LIST],
      result: "any",
      examples: [['(last (list "a" "b"))', "b"]],
    },
  },
  len: {
    run: ([value]) => (typeof value === "string" ? value.length : Object.keys(value ?? {}).length),
    doc: {
      text: "The number of items, entries or characters.",
      args: [["value", "any", "a list, a map or a text"]],
      result: "number",
      examples: [
        ["(len spec.containers)", 2],
        ['(len "abc")', 3],
      ],
    },
  },
  index: {
    run: ([value, ...keys]) => keys.reduce(itemAt, value),
    doc: {
      text: "The item or entry at a key, and so on inwards for more keys.",
      args: [
        ["value", "map", "a list or a map"],
        ["key…", "any", "the index of an item, from 0, or the key of an entry"],
      ],
      result: "any",
      examples: [
        ['(index metadata.labels "app")', "web"],
        ['(index (list "a" "b") 1)', "b"],
      ],
    },
  },
  has: {
    run: ([item, list]) => asList(list).some((other) => jsonEqual(item, other)),
    doc: {
      text: "Whether a list contains the item.",
      args: [["item", "any", "the item to look for"], LIST],
      result: "boolean",
      examples: [['(has "NET_ADMIN" (list "NET_ADMIN" "NET_RAW"))', true]],
    },
  },
  uniq: {
    run: ([list]) => unique(asList(list)),
    doc: {
      text: "The list without repetitions.",
      args: [LIST],
      result: "list",
      examples: [['(uniq (list "a" "b" "a"))', ["a", "b"]]],
    },
  },
  without: {
    run: ([list, ...items]) => asList(list).filter((item) => !items.some((other) => jsonEqual(item, other))),
    doc: {
      text: "The list without the given items.",
      args: [LIST, ["item…", "any", "the items to leave out"]],
      result: "list",
      examples: [['(without (list "a" "b" "c") "a" "c")', ["b"]]],
    },
  },
  compact: {
    run: ([list]) => asList(list).filter((item) => !isEmpty(item)),
    doc: {
      text: "The list without empty items.",
      args: [LIST],
      result: "list",
      examples: [['(compact (list "a" "" 0 "b"))', ["a", "b"]]],
    },
  },
  pluck: {
    run: ([key, list]) =>
      asList(list)
        .map((item) => itemAt(item, key))
        .filter((value) => value !== undefined),
    doc: {
      text: "One field of every item that has it.",
      args: [["key", "text", "the field of each item"], LIST],
      result: "list",
      examples: [['(pluck "name" spec.containers)', ["web", "istio-proxy"]]],
    },
  },
  rest: {
    run: ([list]) => asList(list).slice(1),
    doc: {
      text: "The list without its first item.",
      args: [LIST],
      result: "list",
      examples: [['(rest (list "a" "b" "c"))', ["b", "c"]]],
    },
  },
  initial: {
    run: ([list]) => asList(list).slice(0, -1),
    doc: {
      text: "The list without its last item.",
      args: [LIST],
      result: "list",
      examples: [['(initial (list "a" "b" "c"))', ["a", "b"]]],
    },
  },
  slice: {
    run: ([list, start, end]) =>
      asList(list).slice(
        Math.max(0, asInteger(start ?? 0)),
        end === undefined ? undefined : Math.max(0, asInteger(end)),
      ),
    doc: {
      text: "The items from one index up to another, or to the end.",
      args: [
        LIST,
        ["start", "integer", "the index of the first item, from 0"],
        ["end?", "integer", "the index after the last item"],
      ],
      result: "list",
      examples: [
        ['(slice (list "a" "b" "c") 1)', ["b", "c"]],
        ['(slice (list "a" "b" "c") 0 2)', ["a", "b"]],
      ],
    },
  },
  reverse: {
    run: ([list]) => [...asList(list)].reverse(),
    doc: {
      text: "The list in reverse order.",
      args: [LIST],
      result: "list",
      examples: [['(reverse (list "a" "b"))', ["b", "a"]]],
    },
  },
  sortAlpha: {
    run: ([list]) =>
      asList(list)
        .map((item) => goText(item))
        .sort(),
    doc: {
      text: "The items of a list as texts, in the order of their characters.",
      args: [LIST],
      result: "texts",
      examples: [['(sortAlpha (list "b" "a" 1))', ["1", "a", "b"]]],
    },
  },
});

function itemAt(value: unknown, key: unknown): unknown {
  if (Array.isArray(value)) return typeof key === "number" || typeof key === "string" ? value[Number(key)] : undefined;
  return typeof value === "object" && value !== null ? entryOf(value as never, goText(key)) : undefined;
}

/** Finds repetitions with a set, in which an object is its text. */
function unique(list: readonly unknown[]): readonly unknown[] {
  const seen = new Set<unknown>();
  return list.filter((item) => {
    const { size } = seen;
    return seen.add(typeof item === "object" && item !== null ? `${IS_JSON}${sortedJson(item)}` : item).size > size;
  });
}

/** The start of an object's text in that set. No text of YAML or JSON begins so: an object is not equal to a text of its JSON. */
const IS_JSON = "\0";
