// Arguments that several helpers take.

import type { HelperArgument } from "./helper.ts";

export const TEXT: HelperArgument = ["text", "text", "a text; a number or true is taken as its text"];
export const LIST: HelperArgument = ["list", "list", "a list; a missing one counts as empty"];
export const MAP: HelperArgument = ["map", "map", "a map; a missing one counts as empty"];
export const VALUE: HelperArgument = ["value", "any", "any value"];
export const PATTERN: HelperArgument = ["pattern", "as-example", "a regular expression of Go"];
export const METADATA: HelperArgument = ["metadata", "as-example", "the pod's metadata"];
/** The argument of helpers that read the pod's containers. */
export const CONTAINERS: HelperArgument = ["containers", "as-example", "the pod's containers: spec.containers"];

export const TEXTS: readonly HelperArgument[] = [["text…", "text", "texts"]];
export const VALUES: readonly HelperArgument[] = [["value…", "any", "any values"]];
export const MAPS: readonly HelperArgument[] = [["map…", "map", "maps"]];
export const INTEGERS: readonly HelperArgument[] = [["integer…", "integer", "integers"]];
export const ENTRY: readonly HelperArgument[] = [MAP, ["key", "text", "the entry's key"]];
