// Helpers on text, with Sprig's names and order of arguments: the text comes last.

import { fault } from "../finding.ts";
import { asInteger, asList, assertMade, goText, LONGEST_MADE } from "./argument.ts";
import { LIST, TEXT, TEXTS } from "./common-arguments.ts";
import { formatText } from "./format-text.ts";
import { defineHelpers, type HelperArgument } from "./helper.ts";

const PATH: readonly HelperArgument[] = [["path", "text", "a path of a file"]];
const SPLIT: readonly HelperArgument[] = [["separator", "text", "the text between two parts"], TEXT];

export const stringHelpers = defineHelpers({
  contains: {
    run: ([part, text]) => goText(text).includes(goText(part)),
    doc: {
      text: "Whether a text contains another.",
      args: [["part", "text", "the text to look for"], TEXT],
      result: "boolean",
      examples: [['(contains "/" "team/web")', true]],
    },
  },
  hasPrefix: {
    run: ([prefix, text]) => goText(text).startsWith(goText(prefix)),
    doc: {
      text: "Whether a text has the prefix.",
      args: [["prefix", "text", "the beginning to look for"], TEXT],
      result: "boolean",
      examples: [['(hasPrefix "https://" "https://a.example")', true]],
    },
  },
  hasSuffix: {
    run: ([suffix, text]) => goText(text).endsWith(goText(suffix)),
    doc: {
      text: "Whether a text has the suffix.",
      args: [["suffix", "text", "the ending to look for"], TEXT],
      result: "boolean",
      examples: [['(hasSuffix ".svc" "web.shop.svc")', true]],
    },
  },
  trunc: {
    run: ([count, text]) => truncate(asInteger(count), goText(text)),
    doc: {
      text: "The text, cut to a number of characters: the first ones, or the last ones if the number is negative.",
      args: [["count", "integer", "how many characters to keep; negative: from the end"], TEXT],
      result: "text",
      examples: [
        ['(trunc 3 "abcde")', "abc"],
        ['(trunc -2 "abcde")', "de"],
      ],
    },
  },
  trim: {
    run: ([text]) => goText(text).trim(),
    doc: {
      text: "The text without white space at both ends.",
      args: [TEXT],
      result: "text",
      examples: [['(trim " a ")', "a"]],
    },
  },
  trimAll: {
    run: ([characters, text]) => trimCharacters(goText(characters), goText(text)),
    doc: {
      text: "The text without any of the given characters at both ends.",
      args: [["characters", "text", "the characters to remove"], TEXT],
      result: "text",
      examples: [['(trimAll "-_." "-a.b_")', "a.b"]],
    },
  },
  trimPrefix: {
    run: ([prefix, text]) => withoutPrefix(goText(prefix), goText(text)),
    doc: {
      text: "The text without the prefix.",
      args: [["prefix", "text", "the beginning to remove"], TEXT],
      result: "text",
      examples: [['(trimPrefix "v" "v12")', "12"]],
    },
  },
  trimSuffix: {
    run: ([suffix, text]) => withoutSuffix(goText(suffix), goText(text)),
    doc: {
      text: "The text without the suffix.",
      args: [["suffix", "text", "the ending to remove"], TEXT],
      result: "text",
      examples: [['(trimSuffix ".local" "cluster.local")', "cluster"]],
    },
  },
  toLower: {
    run: ([text]) => goText(text).toLowerCase(),
    doc: {
      text: "The text in lower case.",
      args: [TEXT],
      result: "text",
      examples: [['(toLower "ReplicaSet")', "replicaset"]],
    },
  },
  lower: {
    run: ([text]) => goText(text).toLowerCase(),
    doc: {
      text: "The text in lower case.",
      args: [TEXT],
      result: "text",
      examples: [['(lower "ReplicaSet")', "replicaset"]],
    },
  },
  toUpper: {
    run: ([text]) => goText(text).toUpperCase(),
    doc: {
      text: "The text in upper case.",
      args: [TEXT],
      result: "text",
      examples: [['(toUpper "info")', "INFO"]],
    },
  },
  upper: {
    run: ([text]) => goText(text).toUpperCase(),
    doc: {
      text: "The text in upper case.",
      args: [TEXT],
      result: "text",
      examples: [['(upper "info")', "INFO"]],
    },
  },
  replace: {
    run: ([from, to, text]) => replaced(goText(text), goText(from), goText(to)),
    doc: {
      text: "The text with all occurrences of another text replaced.",
      args: [["from", "text", "the text to replace"], ["to", "text", "the text in its place"], TEXT],
      result: "text",
      examples: [['(replace "." "-" "a.b.c")', "a-b-c"]],
    },
  },
  cat: {
    run: (args) => textsOf(args).join(" "),
    doc: {
      text: "The texts with a space between them, without those that are missing.",
      args: TEXTS,
      result: "text",
      examples: [['(cat "a" 1 true)', "a 1 true"]],
    },
  },
  repeat: {
    run: ([count, text]) => repeated(asInteger(count), goText(text)),
    doc: {
      text: "The text, repeated a number of times.",
      args: [["count", "as-example", "how many times"], TEXT],
      result: "text",
      examples: [['(repeat 3 "ab")', "ababab"]],
    },
  },
  nospace: {
    run: ([text]) => goText(text).replaceAll(/\s/g, ""),
    doc: {
      text: "The text without any white space.",
      args: [TEXT],
      result: "text",
      examples: [['(nospace " a b ")', "ab"]],
    },
  },
  base: {
    run: ([path]) => lastPart(goText(path)),
    doc: {
      text: "The last part of a path.",
      args: PATH,
      result: "text",
      examples: [['(base "/etc/certs/ca.pem")', "ca.pem"]],
    },
  },
  join: {
    run: ([separator, list]) => joined(asList(list), goText(separator)),
    doc: {
      text: "The items of a list as one text, with a separator between them.",
      args: [["separator", "text", "the text between two items"], LIST],
      result: "text",
      examples: [['(join "," (list "a" "b"))', "a,b"]],
    },
  },
  splitList: {
    run: ([separator, text]) => goText(text).split(goText(separator)),
    doc: {
      text: "The parts of a text as a list.",
      args: SPLIT,
      result: "texts",
      examples: [['(splitList "," "a,b")', ["a", "b"]]],
    },
  },
  split: {
    run: ([separator, text]) => {
      const parts = goText(text).split(goText(separator));
      return Object.fromEntries(parts.map((part, index) => [`_${index}`, part]));
    },
    doc: {
      text: "The parts of a text as a map with the keys `_0`, `_1` and so on.",
      args: SPLIT,
      result: "map",
      examples: [['(split "," "a,b")', { _0: "a", _1: "b" }]],
    },
  },
  quote: {
    run: (args) => textsOf(args, JSON.stringify).join(" "),
    doc: {
      text: "The texts in double quotes, escaped as JSON, with a space between them. Only needed for text inside text.",
      args: TEXTS,
      result: "text",
      examples: [['(quote "a" 1)', '"a" "1"']],
    },
  },
  squote: {
    run: (args) => textsOf(args, (text) => `'${text}'`).join(" "),
    doc: {
      text: "The texts in single quotes, with a space between them. Only needed for text inside text.",
      args: TEXTS,
      result: "text",
      examples: [['(squote "a")', "'a'"]],
    },
  },
  printf: {
    run: ([format, ...values]) => formatText(goText(format), values),
    doc: {
      text: "A text with the values in place of Go's verbs, with flags, a width and a precision: `%s`, `%05d`, `%-8s`, `%.2f`, `%x`.",
      args: [
        ["format", "as-example", "a text with verbs"],
        ["value…?", "as-example", "a value for each verb"],
      ],
      result: "text",
      examples: [
        ['(printf "istio.%s" "default")', "istio.default"],
        ['(printf "%05d" 42)', "00042"],
      ],
    },
  },
  directory: {
    run: ([path]) => {
      const text = goText(path);
      return text.slice(0, text.lastIndexOf("/") + 1);
    },
    doc: {
      text: "The directory of a path, with its slash.",
      args: PATH,
      result: "text",
      examples: [['(directory "/etc/certs/ca.pem")', "/etc/certs/"]],
    },
  },
});

function replaced(text: string, from: string, to: string): string {
  if (text.length * to.length > LONGEST_MADE) assertMade(text.length + (text.split(from).length + 1) * to.length);
  return text.replaceAll(from, () => to);
}

function joined(list: readonly unknown[], separator: string): string {
  assertMade(list.length * separator.length);
  return list.map((item) => goText(item)).join(separator);
}

function lastPart(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end -= 1;
  if (end === 0) return path === "" ? "." : "/";
  return path.slice(path.lastIndexOf("/", end - 1) + 1, end);
}

const MAX_REPEATED = 65536;

function repeated(count: number, text: string): string {
  if (count * text.length > MAX_REPEATED) throw fault(`a text is repeated to more than ${MAX_REPEATED} characters`);
  return text.repeat(Math.max(0, count));
}

/** Returns the texts of the values that are not missing. */
function textsOf(values: readonly unknown[], write = (text: string) => text): readonly string[] {
  return values.filter((value) => value !== null && value !== undefined).map((value) => write(goText(value)));
}

/** Cuts a text, and never a surrogate pair in two. */
function truncate(count: number, text: string): string {
  if (count >= 0) {
    const end = isPairAt(text, count) ? count - 1 : count;
    return text.length > count ? text.slice(0, end) : text;
  }
  const start = text.length + count;
  return start > 0 ? text.slice(isPairAt(text, start) ? start + 1 : start) : text;
}

function isPairAt(text: string, index: number): boolean {
  return index > 0 && index < text.length && (text.codePointAt(index - 1) as number) > 0xffff;
}

/** Trims by code points, so that no surrogate pair is cut in two. */
function trimCharacters(cut: string, text: string): string {
  // Where neither end is even half of such a pair, nothing is cut: so it nearly always is.
  if (!cut.includes(text.charAt(0)) && !cut.includes(text.slice(-1))) return text;
  const characters = new Set(cut);
  let start = 0;
  let end = text.length;
  while (start < end) {
    const character = String.fromCodePoint(text.codePointAt(start) as number);
    if (!characters.has(character)) break;
    start += character.length;
  }
  while (end > start) {
    const width = isPairAt(text, end - 1) ? 2 : 1;
    if (!characters.has(text.slice(end - width, end))) break;
    end -= width;
  }
  return text.slice(start, end);
}

function withoutPrefix(prefix: string, text: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

function withoutSuffix(suffix: string, text: string): string {
  return suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
}
