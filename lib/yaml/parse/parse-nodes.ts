// Tokens → the nodes of a document, by go-yaml's grammar. Knows nothing about the meaning of scalars.

import { NOT_ALLOWED } from "./characters.ts";
import { DEFAULT_TAG_HANDLES, fullTag, readDirective } from "./node-properties.ts";
import type { YamlEntry, YamlItem, YamlNode } from "./nodes.ts";
import type { Token, TokenKind } from "./token.ts";
import { YamlSyntaxError } from "./token.ts";
import { yamlTokens } from "./tokens.ts";

export interface ParsedDocument {
  /** An empty scalar where the document is empty. */
  readonly root: YamlNode;
  /** Offset of the first token that is not part of the document, or the length of the text. */
  readonly end: number;
}

export interface ParseOptions {
  readonly maxDepth?: number;
  /** Allows the escapes of JSON that go-yaml does not know. The caller has read the text as JSON. */
  readonly isJson?: boolean;
}

/** Levels of collections: what is deeper has no meaning in any of the formats that are read here. */
const MAX_DEPTH = 256;

/**
 * The first document of a text; undefined for a text without any. What follows it is not looked at: go-yaml reads one
 * document, and the caller judges whether more is an error.
 *
 * @throws YamlSyntaxError
 */
export function parseYamlNodes(
  text: string,
  { maxDepth = MAX_DEPTH, isJson = false }: ParseOptions = {},
): ParsedDocument | undefined {
  const forbidden = text.search(NOT_ALLOWED);
  if (forbidden !== -1) throw new YamlSyntaxError("control characters are not allowed: write an escape", forbidden);
  return parse(yamlTokens(text, isJson), text, maxDepth);
}

interface Properties {
  readonly outerStart: number | undefined;
  readonly anchor: string | undefined;
  readonly tag: string | undefined;
}

function parse(tokens: readonly Token[], text: string, maxDepth: number): ParsedDocument | undefined {
  const { length } = text;
  let index = 0;
  /** The next step of the current token: the start of its mapping, its mark as a key, or the token itself. */
  let step: TokenKind = firstStep(tokens[0] as Token);
  /** Offset after the last token: where a scalar is that is not written. */
  let last = 0;
  /** Offset of the innermost flow collection that is open. */
  let opened: number | undefined;
  let tagHandles = DEFAULT_TAG_HANDLES;
  return parseDocument();

  function current(): Token {
    return tokens[index] as Token;
  }

  function peek(): TokenKind {
    if (step === "error") throw new YamlSyntaxError(current().text, current().start);
    return step;
  }

  function advance(): void {
    const token = current();
    if (step === "block-mapping" && token.kind !== "block-mapping") step = "key";
    else if (step === "key" && token.kind !== "key") step = token.kind;
    else {
      last = token.end;
      index += 1;
      step = firstStep(current());
    }
  }

  function parseDocument(): ParsedDocument | undefined {
    while (peek() === "document-end") advance();
    if (peek() === "end") return undefined;
    const hasDirectives = peek() === "directive";
    if (hasDirectives) readDirectives();
    const isExplicit = peek() === "document-start";
    if (isExplicit) advance();
    else if (hasDirectives) throw unexpected("--- is expected after a % line");
    const isEmpty = DOCUMENT_ENDS.has(peek());
    const root = isEmpty ? emptyScalar(NO_PROPERTIES) : parseNode(true, false, 0);
    if (peek() === "document-end") {
      const end = current().end;
      advance();
      // What follows the marker counts; the marker itself does not.
      return { root, end: step === "end" ? length : Math.max(end, current().start) };
    }
    return { root, end: step === "end" ? length : current().start };
  }

  function readDirectives(): void {
    const handles = new Map(tagHandles);
    while (peek() === "directive") {
      const declared = readDirective(current());
      if (declared !== undefined) handles.set(...declared);
      advance();
    }
    tagHandles = handles;
  }

  function parseNode(isBlock: boolean, allowsIndentless: boolean, depth: number): YamlNode {
    if (depth > maxDepth) throw new YamlSyntaxError(`the nesting is deeper than ${maxDepth} levels`, current().start);
    if (peek() === "alias") {
      const { start, end, text } = current();
      advance();
      return { kind: "alias", name: text, start, end, outerStart: start, anchor: undefined, tag: undefined };
    }
    const properties = readProperties();
    const { start, end, text, style } = current();
    switch (peek()) {
      case "scalar": {
        advance();
        return { kind: "scalar", value: text, style, start, end, ...within(properties, start) };
      }
      case "[":
        return parseFlowSequence(properties, depth);
      case "{":
        return parseFlowMapping(properties, depth);
      case "-":
        if (allowsIndentless) return parseSequence(properties, depth, true);
        break;
      case "block-sequence":
        if (!isBlock) break;
        advance();
        return parseSequence(properties, depth, false);
      case "block-mapping":
        if (!isBlock) break;
        return parseMapping(properties, depth);
      default:
    }
    if (properties.outerStart !== undefined) return emptyScalar(properties);
    throw unexpected("a value is expected here");
  }

  function readProperties(): Properties {
    let outerStart: number | undefined;
    let anchor: string | undefined;
    let tag: string | undefined;
    for (;;) {
      const kind = peek();
      if (!((kind === "anchor" && anchor === undefined) || (kind === "tag" && tag === undefined))) break;
      const { start, text } = current();
      outerStart ??= start;
      if (kind === "anchor") anchor = text;
      else tag = fullTag(text, tagHandles, start);
      advance();
    }
    return outerStart === undefined ? NO_PROPERTIES : { outerStart, anchor, tag };
  }

  function emptyScalar(properties: Properties): YamlNode {
    return { kind: "scalar", value: "", style: "plain", start: last, end: last, ...within(properties, last) };
  }

  function parseSequence(properties: Properties, depth: number, isIndentless: boolean): YamlNode {
    const { start } = current();
    const items: YamlItem[] = [];
    while (peek() === "-") {
      const dash = current().start;
      advance();
      const next = peek();
      const isEmpty = next === "-" || next === "block-end" || (isIndentless && (next === "key" || next === ":"));
      items.push({ dash, node: isEmpty ? emptyScalar(NO_PROPERTIES) : parseNode(true, false, depth + 1) });
    }
    const end = items.at(-1)?.node.end ?? start;
    if (!isIndentless) {
      if (peek() !== "block-end") throw unexpected("a list item is expected here: it starts with a dash");
      skipEnd();
    }
    return { kind: "sequence", flow: false, items, start, end, ...within(properties, start) };
  }

  function parseMapping(properties: Properties, depth: number): YamlNode {
    const { start } = current();
    advance();
    const entries: YamlEntry[] = [];
    while (peek() === "key") {
      advance();
      const key = ENTRY_ENDS.has(peek()) ? emptyScalar(NO_PROPERTIES) : parseNode(true, true, depth + 1);
      let value: YamlNode | undefined;
      if (peek() === ":") {
        advance();
        if (!ENTRY_ENDS.has(peek())) value = parseNode(true, true, depth + 1);
      }
      entries.push({ key, value: value ?? emptyScalar(NO_PROPERTIES) });
    }
    const end = entries.at(-1)?.value.end ?? start;
    if (peek() !== "block-end") throw unexpected("a key is expected here: check the indentation");
    skipEnd();
    return { kind: "mapping", flow: false, entries, start, end, ...within(properties, start) };
  }

  /** Skips the end of a block collection. It is not written, so no empty scalar is placed there. */
  function skipEnd(): void {
    const before = last;
    advance();
    last = before;
  }

  function parseFlowSequence(properties: Properties, depth: number): YamlNode {
    const items: YamlItem[] = [];
    const { start, end } = parseFlow("]", () => {
      const dash = current().start;
      items.push({ dash, node: peek() === "key" ? parsePair(depth + 1) : parseNode(false, false, depth + 1) });
    });
    return { kind: "sequence", flow: true, items, start, end, ...within(properties, start) };
  }

  /** Parses the text between brackets, with commas between its parts. */
  function parseFlow(closing: "]" | "}", parsePart: () => void): Pick<Token, "start" | "end"> {
    const { start } = current();
    const before = opened;
    opened = start;
    advance();
    for (let isFirst = true; peek() !== closing; isFirst = false) {
      if (!isFirst) {
        if (peek() !== ",") throw unexpected(`a comma or ${closing} is expected here`);
        advance();
      }
      if (peek() === closing) break;
      parsePart();
    }
    const { end } = current();
    opened = before;
    advance();
    return { start, end };
  }

  /** Parses a mapping of one entry in a flow sequence: `[a: b]` */
  function parsePair(depth: number): YamlNode {
    const { start } = current();
    const entry = parseFlowEntry("]", depth);
    const { end } = entry.value;
    return { kind: "mapping", flow: true, entries: [entry], start, end, ...within(NO_PROPERTIES, start) };
  }

  function parseFlowEntry(closing: "]" | "}", depth: number): YamlEntry {
    advance();
    const isNoKey = peek() === ":" || peek() === "," || peek() === closing;
    const key = isNoKey ? emptyScalar(NO_PROPERTIES) : parseNode(false, false, depth);
    if (peek() !== ":") return { key, value: emptyScalar(NO_PROPERTIES) };
    advance();
    const isNoValue = peek() === "," || peek() === closing;
    return { key, value: isNoValue ? emptyScalar(NO_PROPERTIES) : parseNode(false, false, depth) };
  }

  function parseFlowMapping(properties: Properties, depth: number): YamlNode {
    const entries: YamlEntry[] = [];
    const { start, end } = parseFlow("}", () => {
      if (peek() === "key") entries.push(parseFlowEntry("}", depth + 1));
      else entries.push({ key: parseNode(false, false, depth + 1), value: emptyScalar(NO_PROPERTIES) });
    });
    return { kind: "mapping", flow: true, entries, start, end, ...within(properties, start) };
  }

  function unexpected(reason: string): YamlSyntaxError {
    const isEnd = step === "end" || step === "document-start" || step === "document-end";
    if (opened !== undefined && (isEnd || isOutdented(opened, current().start)))
      return new YamlSyntaxError("the bracket that opens here is not closed", opened);
    const { start } = current();
    const isAfterQuote = reason.startsWith("a key is expected") && /["']/.test(text.charAt(start - 1));
    return new YamlSyntaxError(isAfterQuote ? AFTER_QUOTE : reason, start);
  }

  /** Whether a line begins here, no deeper than the line in which a bracket opens: a block continues that has ended the flow. */
  function isOutdented(open: number, at: number): boolean {
    const indentation = at - (text.lastIndexOf("\n", at - 1) + 1);
    const line = text.lastIndexOf("\n", open) + 1;
    const opening = /^[ ]*/.exec(text.slice(line, open))?.[0].length ?? 0;
    const isLineStart = /^[ ]*$/.test(text.slice(at - indentation, at));
    return isLineStart && indentation <= opening;
  }
}

const AFTER_QUOTE = "text follows the quote that closes here: write a quote inside a text twice, or use the other kind";

const NO_PROPERTIES: Properties = { outerStart: undefined, anchor: undefined, tag: undefined };
const DOCUMENT_ENDS: ReadonlySet<TokenKind> = new Set(["directive", "document-start", "document-end", "end"]);
const ENTRY_ENDS: ReadonlySet<TokenKind> = new Set(["key", ":", "block-end"]);

function firstStep({ kind, isKey, isFirstKey }: Token): TokenKind {
  return isFirstKey ? "block-mapping" : isKey ? "key" : kind;
}

function within({ outerStart, anchor, tag }: Properties, start: number) {
  return { outerStart: outerStart ?? start, anchor, tag };
}
