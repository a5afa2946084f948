// What the arguments of each helper mean, in their order: lint counts them, docs/helpers.md, `outrigger print helpers NAME` and the
// completion of the studio show them. cli/helper-docs.test.ts holds the table against the examples of the helpers' comments.

/**
 * Its name, and what it is. After a name, `…` marks an argument that may be given several times, and `?` one that may be left
 * out: `["value…?", "a value for each verb"]`.
 */
export type HelperArgument = readonly [name: string, meaning: string];

/** The arguments of each helper by its name, in the order of a call. */
export type HelperArguments = Readonly<Record<string, readonly HelperArgument[]>>;

/**
 * The least and greatest number of arguments of a call; the greatest may be infinite.
 *
 * @example
 * ```ts
 * arityOf([["list", "a list"], ["start", "a place"], ["end?", "a place"]]) // => [2, 3]
 * arityOf([["text…", "texts"]]) // => [1, Infinity]
 * ```
 */
export function arityOf(args: readonly HelperArgument[]): readonly [least: number, most: number] {
  const least = args.filter(([name]) => !name.endsWith("?")).length;
  return [least, args.some(([name]) => name.includes("…")) ? Number.POSITIVE_INFINITY : args.length];
}

const TEXT: HelperArgument = ["text", "a text; a number or true is taken as its text"];
const LIST: HelperArgument = ["list", "a list; a missing one counts as empty"];
const MAP: HelperArgument = ["map", "a map; a missing one counts as empty"];
const KEY: HelperArgument = ["key", "the entry's key"];
const VALUE: HelperArgument = ["value", "any value"];
const VALUES: HelperArgument = ["value…", "any values"];
const A: HelperArgument = ["a", "an integer"];
const B: HelperArgument = ["b", "an integer"];
const INTEGERS: HelperArgument = ["integer…", "integers"];
const JSON_TEXT: HelperArgument = ["text", "a JSON text"];
const COMPARED: readonly HelperArgument[] = [
  ["a", "a number or a text"],
  ["b", "what it is compared with"],
];
const CONTAINERS: HelperArgument = ["containers", "the pod's containers: spec.containers"];
const DEFAULT: HelperArgument = ["default", "what it gives otherwise"];
const PATH: HelperArgument = ["path", "a path of a file"];

/** `{{lookup map key}}` belongs to the language: it is no helper of a table. */
export const LOOKUP_ARGUMENTS: readonly HelperArgument[] = [
  ["map", "a map or a list"],
  ["key", "the key of an entry, or the place of an item, from 0"],
];

/** What the arguments of every general helper are: what `examineTemplates` needs for the table `helpers`. */
export const HELPER_ARGUMENTS: HelperArguments = {
  add: [INTEGERS],
  add1: [["integer", "an integer"]],
  all: [VALUES],
  and: [VALUES],
  annotation: [
    ["metadata", "the pod's metadata"],
    ["name", "the annotation's key"],
    ["default", "the text for a pod without the annotation"],
  ],
  any: [VALUES],
  append: [LIST, ["item", "the new last item"]],
  appendMultusNetwork: [
    ["networks", "the text of the annotation k8s.v1.cni.cncf.io/networks"],
    ["network", "the network to add: its name, or its namespace and name with a slash between them"],
  ],
  applicationPorts: [CONTAINERS],
  b64dec: [["text", "base64 of UTF-8 text"]],
  b64enc: [TEXT],
  base: [PATH],
  bool: [["value", "true or false, or their text"]],
  cat: [["text…", "texts"]],
  coalesce: [VALUES],
  compact: [LIST],
  concat: [["list…", "lists"]],
  contains: [["part", "the text to look for"], TEXT],
  deepCopy: [VALUE],
  default: [["default", "what it gives if the value is empty"], VALUE],
  dict: [["keyOrValue…?", "a key, its value, the next key, its value"]],
  dig: [["key…", "the path of keys"], ["default", "what it gives if the path does not exist"], MAP],
  directory: [PATH],
  div: [A, ["b", "an integer other than 0"]],
  empty: [VALUE],
  eq: [VALUE, ["other…", "the values that it may equal"]],
  excludeInboundPort: [
    ["port", "the port to add; empty or 0 adds none"],
    ["ports", "the ports so far, with commas between them"],
  ],
  fail: [["message", "the text of the error"]],
  first: [LIST],
  formatDuration: [["duration", 'seconds with "s" after them: "90s"']],
  fromJSON: [JSON_TEXT],
  fromJson: [JSON_TEXT],
  ge: COMPARED,
  get: [MAP, KEY],
  gt: COMPARED,
  has: [["item", "the item to look for"], LIST],
  hasKey: [MAP, KEY],
  hasPrefix: [["prefix", "the beginning to look for"], TEXT],
  hasSuffix: [["suffix", "the ending to look for"], TEXT],
  includeInboundPorts: [CONTAINERS],
  index: [
    ["value", "a list or a map"],
    ["key…", "the place of an item, from 0, or the key of an entry"],
  ],
  initial: [LIST],
  int: [["value", "an integer, or its text"]],
  isset: [MAP, KEY],
  join: [["separator", "the text between two items"], LIST],
  keys: [MAP],
  last: [LIST],
  le: COMPARED,
  len: [["value", "a list, a map or a text"]],
  list: [["item…?", "the items"]],
  lower: [TEXT],
  lt: COMPARED,
  max: [INTEGERS],
  merge: [["map…", "maps"]],
  mergeMaps: [["map…", "maps"]],
  mergeOverwrite: [["map…", "maps"]],
  min: [INTEGERS],
  mod: [A, ["b", "an integer other than 0"]],
  mul: [INTEGERS],
  ne: [VALUE, ["other", "the value that it is compared with"]],
  nospace: [TEXT],
  not: [VALUE],
  omit: [MAP, ["key…", "the keys to leave out"]],
  omitNil: [["value", "a map or a list"]],
  or: [VALUES],
  otelResourceAttributes: [
    ["meshConfig", "the mesh configuration"],
    ["annotations", "the pod's annotations"],
    ["labels", "the pod's labels"],
    ["namespace", "the namespace of the workload"],
    CONTAINERS,
  ],
  pick: [MAP, ["key…", "the keys to keep"]],
  pluck: [["key", "the field of each item"], LIST],
  prepend: [LIST, ["item", "the new first item"]],
  printf: [
    ["format", "a text with verbs"],
    ["value…?", "a value for each verb"],
  ],
  quote: [["text…", "texts"]],
  regexMatch: [["pattern", "a regular expression of Go"], TEXT],
  regexReplaceAll: [
    ["pattern", "a regular expression of Go"],
    TEXT,
    ["replacement", "what takes the place of each match"],
  ],
  repeat: [["count", "how many times"], TEXT],
  replace: [["from", "the text to replace"], ["to", "what takes its place"], TEXT],
  required: [
    ["message", "the text of the error if the value is missing"],
    ["value", "the value that must be there"],
  ],
  rest: [LIST],
  reverse: [LIST],
  sha256sum: [TEXT],
  slice: [LIST, ["start", "the place of the first item, from 0"], ["end?", "the place after the last item"]],
  sortAlpha: [LIST],
  sorted: [["map", "a map; a list stays as it is"]],
  split: [["separator", "the text between two parts"], TEXT],
  splitList: [["separator", "the text between two parts"], TEXT],
  squote: [["text…", "texts"]],
  strdict: [["keyOrText…?", "a key, its text, the next key, its text"]],
  string: [VALUE],
  structToJSON: [VALUE],
  sub: [A, B],
  ternary: [
    ["yes", "what it gives if the condition holds"],
    ["no", "what it gives otherwise"],
    ["condition", "false if it is empty"],
  ],
  toJSON: [MAP],
  toJson: [VALUE],
  toJsonMap: [["map…", "maps"]],
  toLower: [TEXT],
  toUpper: [TEXT],
  trim: [TEXT],
  trimAll: [["characters", "the characters to take away"], TEXT],
  trimPrefix: [["prefix", "the beginning to take away"], TEXT],
  trimSuffix: [["suffix", "the ending to take away"], TEXT],
  trunc: [["count", "how many characters; negative: from the end"], TEXT],
  uniq: [LIST],
  upper: [TEXT],
  valueOrDefault: [VALUE, DEFAULT],
  without: [LIST, ["item…", "the items to leave out"]],
};
