// Helpers on parts and the order of lists, as Sprig has them. None of them edits its argument.

import { asInteger, asList, goText, isEmpty } from "./argument.ts";
import type { HelperTable } from "./helper-table.ts";

export const sequenceHelpers: HelperTable = {
  /** A list without its first item: `(rest names)`. */
  rest: ([list]) => asList(list).slice(1),
  /** A list without its last item: `(initial names)`. */
  initial: ([list]) => asList(list).slice(0, -1),
  /** The items from a place, and up to another: `(slice names 1)`, `(slice names 0 2)`. */
  slice: ([list, start, end]) =>
    asList(list).slice(Math.max(0, asInteger(start ?? 0)), end === undefined ? undefined : Math.max(0, asInteger(end))),
  /** A list from its end: `(reverse names)`. */
  reverse: ([list]) => [...asList(list)].reverse(),
  /** The texts of a list in the order of their characters: `(sortAlpha names)`. */
  sortAlpha: ([list]) =>
    asList(list)
      .map((item) => goText(item))
      .sort(),
  /** Whether an argument is not empty: `(any a b)`. */
  any: (args) => args.some((value) => !isEmpty(value)),
  /** Whether no argument is empty: `(all a b)`. */
  all: (args) => !args.some(isEmpty),
};
