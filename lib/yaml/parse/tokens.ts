// Cuts a YAML text into tokens as go-yaml does: indentation becomes tokens that open and close block collections, and a
// node that turns out to be a key is marked as one when its colon is found. Knows nothing about what follows what.

import { afterBreak, CODE, isBlank, isBreak, isBreakOrEnd, isDocumentMarker, isSpaceOrEnd } from "./characters.ts";
import { nameAt, tagAt } from "./node-properties.ts";
import type { ScalarStyle } from "./nodes.ts";
import { scanBlock, scanPlain } from "./plain-scalars.ts";
import { scanQuoted } from "./quoted-scalars.ts";
import {
  assertPlainStart,
  type Cursor,
  type ScannedScalar,
  type Token,
  type TokenKind,
  token,
  YamlSyntaxError,
} from "./token.ts";

/** A node that may turn out to be a key: it is on one line, and its colon is at most 1024 characters away. */
interface PossibleKey {
  readonly token: number;
  readonly at: number;
  readonly line: number;
  readonly column: number;
  /** Whether the node begins in the column of the mapping, where only a key can be. */
  readonly required: boolean;
}

const MAX_KEY_LENGTH = 1024;

/** All tokens of a text. Where it is invalid, the last one is an error: what comes before it may be all that is read. */
export function yamlTokens(text: string, isJson = false): readonly Token[] {
  const tokens: Token[] = [];
  try {
    scan(text, tokens, isJson);
  } catch (error) {
    if (!(error instanceof YamlSyntaxError)) throw error;
    tokens.push(token("error", error.position, error.position, error.reason));
  }
  return tokens;
}

function scan(text: string, tokens: Token[], isJson: boolean): void {
  let at = text.charCodeAt(0) === CODE.byteOrderMark ? 1 : 0;
  let line = 0;
  let lineStart = at;
  /** The column of the innermost block collection; `indents` has those of the collections around it. */
  let indent = -1;
  const indents: number[] = [];
  /** The possible keys: one for each open flow collection, and one for the block. */
  const keys: (PossibleKey | undefined)[] = [undefined];
  let isKeyAllowed = true;

  for (;;) {
    skipToToken();
    const code = text.charCodeAt(at);
    const column = at - lineStart;
    if (at >= text.length) {
      unroll(-1);
      forgetKey();
      tokens.push(token("end", at, at));
      return;
    }
    unroll(column);
    if (column === 0 && code === CODE.percent) readDirective();
    else if (column === 0 && isDocumentMarker(text, at)) {
      unroll(-1);
      forgetKey();
      isKeyAllowed = false;
      push(code === CODE.minus ? "document-start" : "document-end", 3);
    } else readToken(code, column);
  }

  function push(kind: TokenKind, length: number): void {
    tokens.push(token(kind, at, at + length));
    at += length;
  }

  function inFlow(): boolean {
    return keys.length > 1;
  }

  function readToken(code: number, column: number): void {
    switch (code) {
      case CODE.openBracket:
      case CODE.openBrace:
        rememberKey(column);
        keys.push(undefined);
        isKeyAllowed = true;
        push(code === CODE.openBracket ? "[" : "{", 1);
        break;
      case CODE.closeBracket:
      case CODE.closeBrace:
        forgetKey();
        if (inFlow()) keys.pop();
        isKeyAllowed = false;
        push(code === CODE.closeBracket ? "]" : "}", 1);
        break;
      case CODE.comma:
        forgetKey();
        isKeyAllowed = true;
        push(",", 1);
        break;
      case CODE.asterisk:
        readProperty("alias", column);
        break;
      case CODE.ampersand:
        readProperty("anchor", column);
        break;
      case CODE.exclamation:
        readProperty("tag", column);
        break;
      case CODE.doubleQuote:
      case CODE.singleQuote: {
        const style = code === CODE.doubleQuote ? "double" : "single";
        readScalar(style, column, scanQuoted(text, { at, line, lineStart }, isJson));
        break;
      }
      default:
        readIndicator(code, column);
        break;
    }
  }

  function readIndicator(code: number, column: number): void {
    const isAlone = isSpaceOrEnd(text.charCodeAt(at + 1));
    if (code === CODE.minus && isAlone) readDash(column);
    else if (code === CODE.question && (inFlow() || isAlone)) readExplicitKey(column);
    else if (code === CODE.colon && (inFlow() || isAlone)) readColon(column);
    else if ((code === CODE.bar || code === CODE.greater) && !inFlow()) {
      forgetKey();
      isKeyAllowed = true;
      addScalar(code === CODE.bar ? "literal" : "folded", scanBlock(text, { at, line, lineStart }, indent));
    } else {
      assertPlainStart(text, at);
      readScalar("plain", column, scanPlain(text, { at, line, lineStart }, indent, inFlow()));
    }
  }

  function readDash(column: number): void {
    openBlock("block-sequence", column, "a list item cannot begin here: it needs a line of its own");
    forgetKey();
    isKeyAllowed = true;
    push("-", 1);
  }

  function readExplicitKey(column: number): void {
    openBlock("block-mapping", column, "a key cannot begin here: it needs a line of its own");
    forgetKey();
    isKeyAllowed = !inFlow();
    push("key", 1);
  }

  function readColon(column: number): void {
    const key = keys.at(-1);
    const isKey = key !== undefined && key.line === line && at - key.at <= MAX_KEY_LENGTH;
    if (isKey) {
      const first = tokens[key.token] as Token;
      first.isKey = true;
      first.isFirstKey = !inFlow() && roll(key.column);
      keys[keys.length - 1] = undefined;
      isKeyAllowed = false;
    } else {
      if (key?.required === true) throw noColon(key.at);
      keys[keys.length - 1] = undefined;
      openBlock("block-mapping", column, "a colon makes a second key of this line: put the value in quotes");
      isKeyAllowed = !inFlow();
    }
    push(":", 1);
  }

  function readScalar(style: ScalarStyle, column: number, scanned: ScannedScalar): void {
    rememberKey(column);
    isKeyAllowed = false;
    addScalar(style, scanned);
  }

  function addScalar(style: ScalarStyle, { value, end, next, isBroken }: ScannedScalar): void {
    tokens.push(token("scalar", at, end, value, style));
    ({ at, line, lineStart } = next satisfies Cursor);
    if (isBroken) isKeyAllowed = true;
  }

  function readProperty(kind: "alias" | "anchor" | "tag", column: number): void {
    rememberKey(column);
    isKeyAllowed = false;
    const value = kind === "tag" ? tagAt(text, at) : nameAt(text, at);
    const end = at + value.length + (kind === "tag" ? 0 : 1);
    tokens.push(token(kind, at, end, value));
    at = end;
  }

  function readDirective(): void {
    unroll(-1);
    forgetKey();
    isKeyAllowed = false;
    let end = at;
    while (!isBreakOrEnd(text.charCodeAt(end))) end += 1;
    tokens.push(token("directive", at, end, text.slice(at, end)));
    at = end;
  }

  function skipToToken(): void {
    for (;;) {
      const allowsTab = inFlow() || !isKeyAllowed;
      for (let code = text.charCodeAt(at); allowsTab ? isBlank(code) : code === CODE.space; ) {
        at += 1;
        code = text.charCodeAt(at);
      }
      if (text.charCodeAt(at) === CODE.hash) while (!isBreakOrEnd(text.charCodeAt(at))) at += 1;
      if (!isBreak(text.charCodeAt(at))) return;
      at = afterBreak(text, at);
      line += 1;
      lineStart = at;
      if (!inFlow()) isKeyAllowed = true;
    }
  }

  function rememberKey(column: number): void {
    if (!isKeyAllowed) return;
    forgetKey();
    keys[keys.length - 1] = { token: tokens.length, at, line, column, required: !inFlow() && indent === column };
  }

  function forgetKey(): void {
    const key = keys.at(-1);
    if (key?.required === true) throw noColon(key.at);
    keys[keys.length - 1] = undefined;
  }

  /** @param reason why none can begin here, where that is so */
  function openBlock(kind: "block-sequence" | "block-mapping", column: number, reason: string): void {
    if (!inFlow() && !isKeyAllowed) throw new YamlSyntaxError(reason, at);
    if (roll(column)) tokens.push(token(kind, at, at));
  }

  /** Opens a block collection in a column; false if one is open there. */
  function roll(column: number): boolean {
    if (inFlow() || indent >= column) return false;
    indents.push(indent);
    indent = column;
    return true;
  }

  /** Closes the block collections in columns to the right. */
  function unroll(column: number): void {
    if (inFlow()) return;
    while (indent > column) {
      tokens.push(token("block-end", at, at));
      indent = indents.pop() as number;
    }
  }
}

function noColon(at: number): YamlSyntaxError {
  return new YamlSyntaxError("a key is expected here, and has no colon", at);
}
