// `lookup` belongs to the language and not to a table of helpers: it accepts a map that is missing.

import type { HelperDoc } from "./helper.ts";

/** The documentation of `lookup`. */
export const LOOKUP_DOC: HelperDoc = {
  text: "The entry of a key, which may be no name.",
  args: [
    ["map", "map", "a map or a list"],
    ["key", "any", "the key of an entry, or the index of an item, from 0"],
  ],
  result: "any",
  examples: [['(lookup metadata.annotations "sidecar.istio.io/logLevel")', "debug"]],
};
