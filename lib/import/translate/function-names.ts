// Functions of Go, Sprig and Istio under another name than here, and those without a counterpart. All others have the name of a helper.

import type { describeHelpers } from "@outrigger/injector";
import { ANY, BOOL, type GoType, NUMBER, STRING } from "../go/go-types.ts";

type Helper = NonNullable<ReturnType<ReturnType<typeof describeHelpers>["get"]>>;

/** The Go type of each type of result. */
export const RESULT_TYPES: Readonly<Record<Helper["result"], GoType>> = {
  any: ANY,
  boolean: BOOL,
  list: { kind: "list", element: ANY },
  map: { kind: "map", element: ANY },
  number: NUMBER,
  text: STRING,
  texts: { kind: "list", element: STRING },
};

/** Sprig's functions that fail where the others answer nothing: here there is one of each. */
const MUST = [
  "ToJson FromJson RegexMatch RegexReplaceAll MergeOverwrite Merge DeepCopy",
  "Rest Initial Reverse Slice First Last Prepend Append Has Without Compact Uniq",
];

/** Functions under another name, all with the same arguments. */
export const RENAMED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    MUST.join(" ")
      .split(" ")
      .map((name) => [`must${name}`, `${name.charAt(0).toLowerCase()}${name.slice(1)}`]),
  ),
  toString: "string",
  int64: "int",
  atoi: "int",
  toRawJson: "toJson",
  trimall: "trimAll",
  push: "append",
};

/** The reason why a function of Go, Sprig or Istio has no counterpart, and what to do instead. */
export const REFUSED = {
  env: "put the setting into the values and name it here",
  tpl: "templates are not evaluated at run time: use a partial",
  fromYaml: "read the text as JSON with fromJSON",
  now: "what is rendered must not depend on the clock",
  randAlphaNum: "what is rendered must not be random",
  uuidv4: "what is rendered must not be random",
} as const satisfies Readonly<Record<string, string>>;
