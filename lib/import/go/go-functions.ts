// What the functions of Go, Sprig and Istio are called here, what they give, and why some have no counterpart.

import { BOOL, type GoType, NUMBER, STRING } from "./go-types.ts";

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

/** What functions give, where it is not known by their arguments. */
const GIVEN: readonly (readonly [type: GoType, names: string])[] = [
  [BOOL, "eq ne lt le gt ge not empty isset contains hasPrefix hasSuffix hasKey any all has bool"],
  [STRING, "annotation printf trunc trim trimAll trimPrefix trimSuffix toLower lower toUpper upper replace join"],
  [STRING, "quote squote directory excludeInboundPort includeInboundPorts applicationPorts appendMultusNetwork"],
  [STRING, "otelResourceAttributes toJson toJSON structToJSON toJsonMap protoToJSON formatDuration cat repeat nospace"],
  [STRING, "base string"],
  [NUMBER, "int add sub add1 mul div mod max min len"],
  [{ kind: "list", element: STRING }, "splitList keys"],
];

export const RESULTS: ReadonlyMap<string, GoType> = new Map(
  GIVEN.flatMap(([type, names]) => names.split(" ").map((name) => [name, type] as const)),
);

/** Why a function of Go, Sprig or Istio has no counterpart, and what to do. */
export const REFUSED: Readonly<Record<string, string>> = {
  env: "put the setting into the values and name it here",
  tpl: "templates are not evaluated at run time: use a partial",
  include: "write {{ template }} in Go, or a partial here",
  fromYaml: "read the text as JSON with fromJSON",
  now: "what is rendered must not depend on the clock",
  randAlphaNum: "what is rendered must not be random",
  uuidv4: "what is rendered must not be random",
};
