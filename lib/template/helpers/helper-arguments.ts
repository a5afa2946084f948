// What the arguments of each helper mean, in their order: lint counts them, docs/helpers.md, `outrigger print helpers NAME` and the
// completion of the studio show them. lib/template/helpers/helper-arguments.test.ts holds the table against the examples of the helpers' comments.

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
const CONTAINERS: HelperArgument = ["containers", "the pod's containers: spec.containers"];
const PATTERN: HelperArgument = ["pattern", "a regular expression of Go"];

/** `{{lookup map key}}` belongs to the language: it is no helper of a table. */
export const LOOKUP_ARGUMENTS: readonly HelperArgument[] = [
  ["map", "a map or a list"],
  ["key", "the key of an entry, or the place of an item, from 0"],
];

/** Helpers that are called alike, with their arguments in the order of a call. */
const CALLS: readonly (readonly [names: string, ...args: HelperArgument[]])[] = [
  ["all and any coalesce or", ["value…", "any values"]],
  ["deepCopy empty not string structToJSON toJson", VALUE],
  ["b64enc lower nospace sha256sum toLower toUpper trim upper", TEXT],
  ["cat quote squote", ["text…", "texts"]],
  ["compact first initial last rest reverse sortAlpha uniq", LIST],
  ["keys toJSON", MAP],
  ["get hasKey isset", MAP, KEY],
  ["merge mergeMaps mergeOverwrite toJsonMap", ["map…", "maps"]],
  ["add max min mul", ["integer…", "integers"]],
  ["div mod", ["a", "an integer"], ["b", "an integer other than 0"]],
  ["ge gt le lt", ["a", "a number or a text"], ["b", "what it is compared with"]],
  ["fromJSON fromJson", ["text", "a JSON text"]],
  ["applicationPorts includeInboundPorts", CONTAINERS],
  ["base directory", ["path", "a path of a file"]],
  ["split splitList", ["separator", "the text between two parts"], TEXT],
  ["add1", ["integer", "an integer"]],
  [
    "annotation",
    ["metadata", "the pod's metadata"],
    ["name", "the annotation's key"],
    ["default", "the text for a pod without the annotation"],
  ],
  ["append", LIST, ["item", "the new last item"]],
  [
    "appendMultusNetwork",
    ["networks", "the text of the annotation k8s.v1.cni.cncf.io/networks"],
    ["network", "the network to add: its name, or its namespace and name with a slash between them"],
  ],
  ["b64dec", ["text", "base64 of UTF-8 text"]],
  ["bool", ["value", "true or false, or their text"]],
  ["concat", ["list…", "lists"]],
  ["contains", ["part", "the text to look for"], TEXT],
  ["default", ["default", "what it gives if the value is empty"], VALUE],
  ["dict", ["keyOrValue…?", "a key, its value, the next key, its value"]],
  ["dig", ["key…", "the path of keys"], ["default", "what it gives if the path does not exist"], MAP],
  ["eq", VALUE, ["other…", "the values that it may equal"]],
  [
    "excludeInboundPort",
    ["port", "the port to add; empty or 0 adds none"],
    ["ports", "the ports so far, with commas between them"],
  ],
  ["fail", ["message", "the text of the error"]],
  ["formatDuration", ["duration", 'seconds with "s" after them: "90s"']],
  ["has", ["item", "the item to look for"], LIST],
  ["hasPrefix", ["prefix", "the beginning to look for"], TEXT],
  ["hasSuffix", ["suffix", "the ending to look for"], TEXT],
  ["index", ["value", "a list or a map"], ["key…", "the place of an item, from 0, or the key of an entry"]],
  ["int", ["value", "an integer, or its text"]],
  ["join", ["separator", "the text between two items"], LIST],
  ["len", ["value", "a list, a map or a text"]],
  ["list", ["item…?", "the items"]],
  ["ne", VALUE, ["other", "the value that it is compared with"]],
  ["omit", MAP, ["key…", "the keys to leave out"]],
  ["omitNil", ["value", "a map or a list"]],
  [
    "otelResourceAttributes",
    ["meshConfig", "the mesh configuration"],
    ["annotations", "the pod's annotations"],
    ["labels", "the pod's labels"],
    ["namespace", "the namespace of the workload"],
    CONTAINERS,
  ],
  ["pick", MAP, ["key…", "the keys to keep"]],
  ["pluck", ["key", "the field of each item"], LIST],
  ["prepend", LIST, ["item", "the new first item"]],
  ["printf", ["format", "a text with verbs"], ["value…?", "a value for each verb"]],
  ["regexMatch", PATTERN, TEXT],
  ["regexReplaceAll", PATTERN, TEXT, ["replacement", "what takes the place of each match"]],
  ["repeat", ["count", "how many times"], TEXT],
  ["replace", ["from", "the text to replace"], ["to", "what takes its place"], TEXT],
  ["required", ["message", "the text of the error if the value is missing"], ["value", "the value that must be there"]],
  ["slice", LIST, ["start", "the place of the first item, from 0"], ["end?", "the place after the last item"]],
  ["sorted", ["map", "a map; a list stays as it is"]],
  ["strdict", ["keyOrText…?", "a key, its text, the next key, its text"]],
  ["sub", ["a", "an integer"], ["b", "an integer"]],
  [
    "ternary",
    ["yes", "what it gives if the condition holds"],
    ["no", "what it gives otherwise"],
    ["condition", "false if it is empty"],
  ],
  ["trimAll", ["characters", "the characters to take away"], TEXT],
  ["trimPrefix", ["prefix", "the beginning to take away"], TEXT],
  ["trimSuffix", ["suffix", "the ending to take away"], TEXT],
  ["trunc", ["count", "how many characters; negative: from the end"], TEXT],
  ["valueOrDefault", VALUE, ["default", "what it gives otherwise"]],
  ["without", LIST, ["item…", "the items to leave out"]],
];

/** What the arguments of every general helper are: what `examineTemplates` needs for the table `helpers`. */
export const HELPER_ARGUMENTS: HelperArguments = Object.fromEntries(
  // In the order of names: of two that are equally near, a hint has the first.
  CALLS.flatMap(([names, ...args]) => names.split(" ").map((name) => [name, args] as const)).sort(([a], [b]) =>
    a < b ? -1 : 1,
  ),
);
