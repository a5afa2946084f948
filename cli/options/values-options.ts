// Values that are laid over a tree for one command, as helm and istioctl take them: --values and --set.
import {
  defined,
  isObject,
  type JsonObject,
  type JsonValue,
  OutriggerError,
  objectOf,
  ownError,
  usageError,
} from "@outrigger/base";
import { compileRelease, type SourceTree } from "@outrigger/injector";
import { releaseDigest } from "@outrigger/serving";
import { formatYaml, parseYaml } from "@outrigger/yaml";
import { inputName, readInput } from "../manifests/read-input.ts";
import type { Io } from "../terminal/io.ts";
import { shippedTree } from "../tree/read-trees.ts";
import { type OptionsOf, optionTable } from "./option.ts";
import type { Referred } from "./reference.ts";

export const valuesOptions = optionTable({
  values: {
    argument: "<file>",
    about: "values to lay over the tree's; again for more, of which the last one wins",
    isRepeatable: true,
  },
  set: {
    argument: "<key=value>",
    about: "one value over all: global.tag=1.30.3; several with commas, or again",
    isRepeatable: true,
  },
});

export type ValuesOptions = OptionsOf<typeof valuesOptions>;

/**
 * The release with the values of the command line over its own: nothing is stored anywhere.
 *
 * @throws OutriggerError `usage` for what is no value, or where the texts of the release are not kept; what is wrong with the tree
 */
export async function withCommandLineValues(referred: Referred, options: ValuesOptions, io: Io): Promise<Referred> {
  const given = await givenValues(options, io);
  if (given.length === 0) return referred;
  const { name } = referred;
  if (referred.tree === undefined) {
    const message = `Cannot lay values over ${name}: the texts that it was made from are not kept any more; name source or a directory`;
    throw usageError(message);
  }
  const entries = given.map(({ text }, index) => [`${LAST}${String(index).padStart(3, "0")}`, text] as const);
  const tree: SourceTree = { ...referred.tree, ...Object.fromEntries(entries) };
  try {
    const release = compileRelease([await shippedTree(io), tree]);
    return { ...referred, release, digest: releaseDigest(release), tree };
  } catch (error) {
    throw withSource(ownError(error), given);
  }
}

/** The entries of a tree lie over each other in the order of their names. */
const LAST = "values/zzzz-command-line-";

async function givenValues({ values = [], set = [] }: ValuesOptions, io: Io) {
  const files: { readonly source: string; readonly text: string }[] = [];
  for (const file of values) files.push({ source: inputName(file), text: await readInput(file, io) });
  for (const { source, text } of files) {
    const value = parseYaml(text, source);
    if (value === null || isObject(value)) continue;
    throw new OutriggerError("values-invalid", `Cannot use ${source}: values must be a mapping`, { path: source });
  }
  return set.length === 0 ? files : [...files, { source: "--set", text: formatYaml(parseSet(set)) }];
}

/** `values/10-mine:3`, `shipped values/istio:3`, `my.yaml:3` or `--set`. */
export function originOfValue(
  { path, line, isShipped }: { readonly path: string; readonly line: number; readonly isShipped: boolean },
  { values = [] }: ValuesOptions,
): string {
  if (!path.startsWith(LAST)) return `${isShipped ? "shipped " : ""}${path}:${line}`;
  const file = values[Number(path.slice(LAST.length))];
  return file === undefined ? "--set" : `${inputName(file)}:${line}`;
}

/** Names what the user gave in place of the entry that it became. */
function withSource(error: OutriggerError, given: readonly { readonly source: string }[]): OutriggerError {
  const { path = "" } = error;
  const source = path.startsWith(LAST) ? given[Number(path.slice(LAST.length))]?.source : undefined;
  if (source === undefined) return error;
  const { line, column } = source === "--set" ? {} : error;
  const message = error.message.replaceAll(path, source);
  return new OutriggerError(error.code, message, defined({ path: source, line, column, cause: error.cause }));
}

/**
 * Helm's grammar, but for items of lists: a period between keys, a comma between values, `{a,b}` for a list, a backslash before
 * any of them for the character itself. Whole numbers, `true`, `false` and `null` are such; everything else is text.
 *
 * @throws OutriggerError `usage`, naming the text
 */
export function parseSet(texts: readonly string[]): JsonObject {
  return texts.flatMap(splitPairs).reduce<JsonObject>((values, pair) => {
    const at = pair.indexOf("=");
    const keys = at < 1 ? [] : split(pair.slice(0, at), ".").map(unescaped);
    if (keys.length === 0 || keys.some((key) => key === "" || /[[\]]/.test(key))) {
      const message = `Cannot read --set ${pair}: write it as key.key=value, with a backslash before a period of a key; items of lists are set with --values`;
      throw usageError(message);
    }
    return withValue(values, keys, valueFrom(pair.slice(at + 1)));
  }, {});
}

function withValue(values: JsonObject, [key = "", ...rest]: readonly string[], value: JsonValue): JsonObject {
  return { ...values, [key]: rest.length === 0 ? value : withValue(objectOf(values[key]), rest, value) };
}

function valueFrom(text: string): JsonValue {
  const items = /^\{(.*)\}$/s.exec(text)?.[1];
  if (items === undefined) return scalarOf(text);
  return items === "" ? [] : split(items, ",").map(scalarOf);
}

/** `0777`, `-0` and numbers of more digits than are exact are text, as in helm. */
function scalarOf(text: string): JsonValue {
  const words: Readonly<Record<string, JsonValue>> = { true: true, false: false, null: null };
  if (Object.hasOwn(words, text)) return words[text] ?? null;
  return /^(?:0|-?[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : unescaped(text);
}

/** Splits a text at commas, but not in the braces of a list, which begin a value. */
function splitPairs(text: string): readonly string[] {
  const pairs: string[] = [];
  for (const part of split(text, ",")) {
    const last = pairs.at(-1);
    if (last !== undefined && /^[^=]*=\{[^}]*$/.test(last)) pairs[pairs.length - 1] = `${last},${part}`;
    else pairs.push(part);
  }
  return pairs.filter((pair) => pair !== "");
}

/** Splits a text at each separator without a backslash before it. */
function split(text: string, separator: string): readonly string[] {
  const parts = [""];
  for (const [part] of text.matchAll(/\\.|./gs)) {
    if (part === separator) parts.push("");
    else parts[parts.length - 1] += part;
  }
  return parts;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gs, "$1");
}
