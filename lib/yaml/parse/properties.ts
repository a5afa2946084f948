// What is at one place of a YAML text: the name of an anchor or alias, a tag, or the start of a plain scalar.

import { CODE, isSpaceOrEnd } from "./characters.ts";
import { YamlSyntaxError } from "./yaml-syntax-error.ts";

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

export function assertPlainStart(text: string, at: number): void {
  const code = text.charCodeAt(at);
  if (code === CODE.tab) throw new YamlSyntaxError("a tab is used as indentation: use spaces", at);
  if (NO_PLAIN_START.has(code))
    throw new YamlSyntaxError(`a value cannot start with ${text.charAt(at)}: put it in quotes`, at);
}

/** What neither a plain scalar nor anything else begins with. */
const NO_PLAIN_START: ReadonlySet<number> = new Set([
  CODE.hash,
  CODE.bar,
  CODE.greater,
  CODE.percent,
  CODE.at,
  CODE.backtick,
]);
