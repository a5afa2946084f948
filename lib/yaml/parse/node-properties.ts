// What is written before a node, tags and anchors, and what a document's tags and directives mean.
import { isSpaceOrEnd } from "./characters.ts";
import { type Token, YamlSyntaxError } from "./token.ts";

/** The prefix of each handle of a tag: `!!` and those of `%TAG`. */
type TagHandles = ReadonlyMap<string, string>;

export const DEFAULT_TAG_HANDLES: TagHandles = new Map([
  ["!", "!"],
  ["!!", "tag:yaml.org,2002:"],
]);

/**
 * The handle of a tag that a directive declares, with its prefix; undefined for `%YAML`.
 *
 * @throws YamlSyntaxError for a directive that YAML 1.1 does not have
 */
export function readDirective({ start, text }: Token): readonly [handle: string, prefix: string] | undefined {
  const [name, first = "", second = ""] = text
    .replace(/\s#.*$/, "")
    .trim()
    .split(/[ \t]+/);
  if (name === "%YAML") {
    if (first === "1.1") return undefined;
    throw new YamlSyntaxError("the version of YAML must be 1.1: remove this line", start);
  }
  if (name === "%TAG" && /^!(?:[\w-]*!)?$/.test(first) && second !== "") return [first, second];
  throw new YamlSyntaxError("a line with % is %YAML or %TAG", start);
}

/** A tag with its handle written out; undefined where it says nothing. */
export function fullTag(text: string, handles: TagHandles, at: number): string | undefined {
  if (text === "!") return "!";
  if (text.startsWith("!<")) return decodeTag(text.slice(2, -1), at);
  const [handle] = /^![\w-]*!/.exec(text) ?? ["!"];
  const prefix = handles.get(handle);
  const suffix = text.slice(handle.length);
  if (prefix === undefined) throw new YamlSyntaxError("the prefix of this tag is not declared with %TAG", at);
  if (suffix === "" && handle !== "!") throw new YamlSyntaxError("a tag has a name", at);
  return prefix + decodeTag(suffix, at);
}

function decodeTag(text: string, at: number): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    if (!(cause instanceof URIError)) throw cause;
    throw new YamlSyntaxError("the % escapes of this tag are not UTF-8", at);
  }
}

const NAME = /[0-9A-Za-z_-]*/y;
const TAG = /!(?:<(?:[\w;/?:@&=+$,.!~*'()[\]-]|%[0-9a-fA-F]{2})+>|(?:[\w;/?:@&=+$,.!~*'()[\]-]|%[0-9a-fA-F]{2})*)/y;

/** The name after the `&` or `*` at an offset. */
export function nameAt(text: string, at: number): string {
  NAME.lastIndex = at + 1;
  const name = NAME.exec(text)?.[0] ?? "";
  const end = at + 1 + name.length;
  if (name === "" || !(isSpaceOrEnd(text.charCodeAt(end)) || "?:,]}%@`".includes(text.charAt(end))))
    throw new YamlSyntaxError("the name of an anchor has letters, digits, - and _ only", at);
  return name;
}

export function tagAt(text: string, at: number): string {
  TAG.lastIndex = at;
  const tag = TAG.exec(text)?.[0] ?? "!";
  const end = at + tag.length;
  if (!isSpaceOrEnd(text.charCodeAt(end))) throw new YamlSyntaxError("a tag ends with a space or a line break", end);
  return tag;
}
